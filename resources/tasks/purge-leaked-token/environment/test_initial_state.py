"""The token is in the history, in the stash and in unreachable objects; the working tree is clean."""

import subprocess

TOKEN = "tk_live_7Qm2xV9cRb4LpZ"


def git(*arguments: str) -> str:
    command = ["git", "-c", "safe.directory=*", "-C", "/home/user/deploy-tools", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=30).stdout


def test_history_has_the_token():
    assert len(git("log", "--all", "--format=%h", f"-S{TOKEN}").split()) >= 5
    assert TOKEN in git("show", "v1.0:config/prod.env")


def test_stash_has_the_token():
    assert TOKEN in git("stash", "show", "-p")


def test_working_tree_is_clean():
    assert git("symbolic-ref", "HEAD").strip() == "refs/heads/main"
    assert git("status", "--porcelain") == ""
