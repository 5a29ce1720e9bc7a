#!/bin/bash
# Adding holds a lock that the kernel takes back from a killed process (flock), on a file beside the ledger that is never replaced. The new
# ledger is written aside and renamed into place, so that readers need no lock.
set -euo pipefail
python3 - <<'PY'
from pathlib import Path

program = Path("/app/ledger.py")
text = program.read_text()
text = text.replace("import argparse\nimport json\n", "import argparse\nimport contextlib\nimport fcntl\nimport json\n")
text = text.replace("import sys\n", "import sys\nimport tempfile\n", 1)

begin, end = text.index("def save("), text.index("def add(")
text = text[:begin] + '''@contextlib.contextmanager
def locked(path: str):
    """Lets one process at a time change the ledger. The lock file stays: removing it would let two processes lock two files."""
    folder, name = os.path.split(path)
    with open(os.path.join(folder, f".{name}.lock"), "a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def save(path: str, ledger: dict) -> None:
    """Replaces the ledger as a whole; its mode is kept, and that of a new one is what open would give."""
    folder, name = os.path.split(path)
    try:
        mode = os.stat(path).st_mode & 0o7777
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        mode = 0o666 & ~mask
    handle, aside = tempfile.mkstemp(dir=folder, prefix=f".{name}.", suffix=".new")
    try:
        with open(handle, "w", encoding="utf-8") as file:
            json.dump(ledger, file, ensure_ascii=False)
            file.write("\\n")
            file.flush()
            os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())
        os.replace(aside, path)
    except BaseException:
        os.unlink(aside)
        raise


''' + text[end:]

begin, end = text.index("def add("), text.index("def show(")
text = text[:begin] + '''def add(path: str, account: str, amount: int, booking: str | None) -> int:
    """Books an amount; answers the new balance of the account."""
    # Through a link and not over it; all names of a ledger lead to one lock.
    path = os.path.realpath(path)
    with locked(path):
        ledger = load(path)
        if booking is not None:
            if booking in ledger["ids"]:
                return ledger["accounts"].get(account, 0)
            ledger["ids"].append(booking)
        balance = ledger["accounts"].get(account, 0) + amount
        ledger["accounts"][account] = balance
        ledger["entries"] += 1
        save(path, ledger)
        return balance


''' + text[end:]
program.write_text(text)
PY
