"""Three logs are there and no report."""

import gzip
from pathlib import Path


def test_logs_are_there():
    assert len(Path("/srv/logs/access.log").read_text().splitlines()) == 700
    assert len(Path("/srv/logs/access.log.1").read_text().splitlines()) == 1900
    with gzip.open("/srv/logs/access.log.2.gz", "rt") as file:
        assert len(file.read().splitlines()) == 2400


def test_no_report_yet():
    assert not Path("/srv/report").exists()
