"""The commit is on no branch, but its objects are there."""

import subprocess

LOST = "37ae2b9e42e33e285a1732e79e4b70e18d0f629f"


def git(*arguments: str) -> str:
    command = ["git", "-c", "safe.directory=*", "-C", "/home/user/parser", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=30).stdout.strip()


def test_no_branch_has_it():
    assert "Limit retries" not in git("log", "--all", "--format=%s")


def test_its_object_is_there():
    assert git("cat-file", "-t", LOST) == "commit"


def test_main_is_checked_out_and_clean():
    assert git("symbolic-ref", "HEAD") == "refs/heads/main"
    assert git("status", "--porcelain") == ""
