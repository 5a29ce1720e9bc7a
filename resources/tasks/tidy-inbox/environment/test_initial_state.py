"""The inbox is full and the archive holds one report."""

from pathlib import Path


def test_inbox_is_full():
    names = {path.name for path in Path("/data/inbox").iterdir()}
    assert len(names) == 18
    assert "2026-03-07 weekly summary.txt" in names


def test_archive_holds_one_report():
    files = [path for path in Path("/data/archive").rglob("*") if path.is_file()]
    assert [path.name for path in files] == ["2025-11-03 budget.csv"]
