"""The ledger works for one person at a time."""

import subprocess


def ledger(*arguments: str) -> str:
    return subprocess.run(["python3", "/app/ledger.py", *arguments], capture_output=True, text=True, check=True, timeout=20).stdout


def test_example():
    assert ledger("/app/example.json", "show") == "cash\t100\nrent\t-40\ntotal\t60\t2 entries\n"


def test_adding(tmp_path):
    path = str(tmp_path / "ledger.json")
    assert ledger(path, "add", "cash", "5", "--id", "a") == "5\n"
    assert ledger(path, "add", "cash", "5", "--id", "a") == "5\n"
    assert ledger(path, "add", "cash", "-2") == "3\n"
