"""The tip of main is the lost commit on the tip of before; everything else in the repository is as it was."""

import subprocess

REPOSITORY = "/home/user/parser"
TIP_BEFORE = "aa4c02316885e53568fb9a21c243b6ede7b2d230"
DOCS = "e13900bebd93d7d21f6015c2d4d9140e3f72394b"

FETCHER = """RETRIES = 5


def fetch(url, open):
    last = None
    for _ in range(RETRIES):
        try:
            return open(url)
        except OSError as error:
            last = error
    raise TimeoutError(url) from last
"""
CHANGES = """Changes
=======

- The fetcher gives up after five attempts.
- Empty entries are left out.
- Entries are parsed.
- First version.
"""
TEST = "from fetcher import RETRIES\n\n\ndef test_retries():\n    assert RETRIES == 5\n"
BODY = "A server that is down must not hold up the others for ever.\nThe last error is kept as the cause."


def git(*arguments: str) -> str:
    # As the owner of the repository, and without hooks that its configuration may name.
    command = ["runuser", "-u", "user", "--", "git", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-C", REPOSITORY]
    return subprocess.run([*command, *arguments], capture_output=True, text=True, check=True, timeout=30).stdout


def test_one_commit_on_top_of_main():
    assert git("rev-parse", "main^").strip() == TIP_BEFORE
    assert git("rev-list", "--count", f"{TIP_BEFORE}..main").strip() == "1"


def test_message():
    assert git("log", "-1", "--format=%s", "main").strip() == "Limit retries of the fetcher"
    assert git("log", "-1", "--format=%b", "main").strip() == BODY


def test_author():
    wanted = "Inês Prado|ines@example.org|2026-03-05T12:00:00+01:00"
    assert git("log", "-1", "--format=%an|%ae|%aI", "main").strip() == wanted


def test_files_of_the_commit():
    changed = git("diff", "--name-only", TIP_BEFORE, "main").split()
    assert changed == ["CHANGES.md", "fetcher.py", "test_fetcher.py"]
    assert git("show", "main:fetcher.py") == FETCHER
    assert git("show", "main:test_fetcher.py") == TEST


def test_changes_have_both_entries():
    assert git("show", "main:CHANGES.md") == CHANGES


def test_clean_and_on_main():
    assert git("log", "-1", "--format=%s", "HEAD").strip() == "Limit retries of the fetcher"
    assert git("symbolic-ref", "HEAD").strip() == "refs/heads/main"
    assert git("status", "--porcelain") == ""


def test_other_refs_are_as_they_were():
    assert git("rev-parse", "main").strip() != TIP_BEFORE
    refs = dict(line.split(" ") for line in git("for-each-ref", "--format=%(refname) %(objectname)").splitlines())
    refs.pop("refs/heads/main")
    assert refs == {"refs/heads/docs": DOCS, "refs/tags/v0.2": TIP_BEFORE}
