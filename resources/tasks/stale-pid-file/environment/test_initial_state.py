"""A PID file is left from before the crash, and no worker runs."""

import os
import subprocess
from pathlib import Path

SPOOL = Path("/home/user/spool")


def test_left_pid_file():
    assert (SPOOL / "run" / "spool.pid").read_text() == "31337\n"
    assert not Path("/proc/31337").exists()


def test_start_is_fooled():
    result = subprocess.run(["./spoolctl", "start"], cwd=SPOOL, capture_output=True, text=True, timeout=20)
    assert result.stdout == "already running 31337\n"


def test_scripts_are_executable():
    assert os.access(SPOOL / "spoolctl", os.X_OK)
    assert os.access(SPOOL / "spool-worker", os.X_OK)
