"""The exports are there in their four encodings; nothing is merged."""

from pathlib import Path

EXPORTS = Path("/data/exports")


def test_encodings():
    assert "Åse" in (EXPORTS / "north.csv").read_bytes().decode("utf-8")
    assert (EXPORTS / "south.csv").read_bytes().startswith(b"\xef\xbb\xbf")
    assert (EXPORTS / "east.csv").read_bytes().startswith(b"\xff\xfe")
    assert b"100 \x80 Shop" in (EXPORTS / "west.csv").read_bytes()


def test_not_merged():
    assert not Path("/data/sales.csv").exists()
