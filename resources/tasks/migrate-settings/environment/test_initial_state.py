"""The examples are there; the program is still to be written."""

import json
from pathlib import Path


def test_examples():
    assert "[http.proxy]" in Path("/app/examples/old.conf").read_text()
    assert json.loads(Path("/app/examples/new.json").read_text())["http"]["proxy"]["port"] == 3128


def test_no_program():
    assert not Path("/app/migrate.py").exists()
