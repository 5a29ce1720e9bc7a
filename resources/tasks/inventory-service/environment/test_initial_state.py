"""The service is there and does not start."""

import json
import subprocess
from pathlib import Path

INVENTORY = Path("/srv/inventory")


def test_files_are_there():
    assert json.loads((INVENTORY / "config.json").read_text()) == {"port": "8085"}
    assert len(json.loads((INVENTORY / "items.json").read_text())) == 4


def test_server_fails():
    result = subprocess.run(["python3", "server.py"], cwd=INVENTORY, capture_output=True, text=True, timeout=20)
    assert "TypeError" in result.stderr
