"""Dated reports are in the archive, all else is where it was, and nothing was changed or lost."""

import os
from pathlib import Path

INBOX = Path("/data/inbox")
ARCHIVE = Path("/data/archive")

# Place in the list of the image's own script; it decides content and time of each file.
MOVED = {
    "2026/03/2026-03-07 weekly summary.txt": 0,
    "2026/03/2026-03-07_metrics.csv": 1,
    "2026/03/2026-03-21 weekly summary.txt": 2,
    "2025/12/2025-12-31.log": 3,
    "2024/02/2024-02-29 leap day.txt": 4,
    "2026/01/2026-01-15-it's *done*.txt": 5,
    "2025/11/2025-11-04 budget.csv": 7,
}
STAYED = {
    "2025-11-03 budget.csv": 6,
    "2026-02-29 not a leap year.txt": 8,
    "2026-13-01.txt": 9,
    "2026-1-5 short.txt": 10,
    "20260105.txt": 11,
    "2026-01-150 three digits.txt": 12,
    "-2026-01-01 dash first.txt": 13,
    ".2026-01-01 hidden.txt": 14,
    "notes 2026-03-07.txt": 15,
}


def assert_untouched(path: Path, number: int) -> None:
    assert path.is_file() and not path.is_symlink(), f"{path} is missing"
    assert path.read_text() == f"report {number}\n{path.name}\n", f"{path} has another content"
    assert int(path.stat().st_mtime) == 1_600_000_000 + number * 86_411, f"{path} has another modification time"


def test_dated_reports_are_archived():
    for place, number in MOVED.items():
        assert_untouched(ARCHIVE / place, number)


def test_dated_reports_left_the_inbox():
    for place in MOVED:
        assert not os.path.lexists(INBOX / Path(place).name)


def test_other_files_stay():
    for name, number in STAYED.items():
        assert_untouched(INBOX / name, number)


def test_folder_and_link_stay():
    assert (INBOX / "2026-04-01 photos" / "2026-04-01 one.txt").read_text() == "inside a folder\n"
    assert os.readlink(INBOX / "2026-05-05 link.txt") == "2026-03-07_metrics.csv"


def test_archived_budget_was_not_overwritten():
    path = ARCHIVE / "2025/11/2025-11-03 budget.csv"
    assert path.read_text() == "the archived budget, which is another one\n"
    assert int(path.stat().st_mtime) == 1_500_000_000


def test_nothing_else_appeared():
    files = {str(path.relative_to(ARCHIVE)) for path in ARCHIVE.rglob("*") if not path.is_dir()}
    assert files == {*MOVED, "2025/11/2025-11-03 budget.csv"}
    folders = {str(path.relative_to(ARCHIVE)) for path in ARCHIVE.rglob("*") if path.is_dir()}
    assert folders == {"2024", "2024/02", "2025", "2025/11", "2025/12", "2026", "2026/01", "2026/03"}
    assert {path.name for path in INBOX.iterdir()} == {*STAYED, "2026-04-01 photos", "2026-05-05 link.txt"}
