"""The project is there and does not build."""

import subprocess
from pathlib import Path

STATION = Path("/srv/station")


def test_project_is_there():
    assert sorted(path.name for path in (STATION / "data").iterdir()) == ["kyoto.csv", "lima.csv", "oslo.csv"]
    assert not (STATION / "build").exists()


def test_make_fails():
    assert subprocess.run(["make", "-n"], cwd=STATION, capture_output=True, timeout=30).returncode != 0
