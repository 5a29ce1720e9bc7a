"""Fills /data/inbox and /data/archive for the task, with fixed contents and times."""

import os
from pathlib import Path

INBOX = Path("/data/inbox")
ARCHIVE = Path("/data/archive")

FILES = [
    "2026-03-07 weekly summary.txt",
    "2026-03-07_metrics.csv",
    "2026-03-21 weekly summary.txt",
    "2025-12-31.log",
    "2024-02-29 leap day.txt",
    "2026-01-15-it's *done*.txt",
    "2025-11-03 budget.csv",
    "2025-11-04 budget.csv",
    # None of these begins with a real date.
    "2026-02-29 not a leap year.txt",
    "2026-13-01.txt",
    "2026-1-5 short.txt",
    "20260105.txt",
    "2026-01-150 three digits.txt",
    "-2026-01-01 dash first.txt",
    ".2026-01-01 hidden.txt",
    "notes 2026-03-07.txt",
]


def write(path: Path, text: str, stamp: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    os.utime(path, (stamp, stamp))


for number, name in enumerate(FILES):
    write(INBOX / name, f"report {number}\n{name}\n", 1_600_000_000 + number * 86_411)
write(INBOX / "2026-04-01 photos" / "2026-04-01 one.txt", "inside a folder\n", 1_610_000_000)
(INBOX / "2026-05-05 link.txt").symlink_to("2026-03-07_metrics.csv")
write(ARCHIVE / "2025" / "11" / "2025-11-03 budget.csv", "the archived budget, which is another one\n", 1_500_000_000)
