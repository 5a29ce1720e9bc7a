"""Many processes at once, killed processes, and what must stay as it was."""

import json
import os
import signal
import stat
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

LEDGER = "/app/ledger.py"

# Run ledger.py and end it like kill -9: at its N-th operation on files, of which Python's audit events tell, or in the middle of a write.
KILLED_AT_OPERATION = r"""
import os, signal, sys
left = int(sys.argv.pop(1))
operations = {"open", "os.rename", "os.truncate", "os.remove", "os.link", "os.chmod", "os.chown", "os.mkdir", "os.rmdir", "os.symlink",
              "fcntl.flock", "fcntl.lockf", "fcntl.fcntl", "tempfile.mkstemp", "shutil.move", "shutil.copymode", "sqlite3.connect"}
folder = os.path.dirname(sys.argv[1])
def hook(event, arguments):
    global left
    # Opening modules of Python is no operation of the ledger's.
    if event in operations and (event != "open" or str(arguments[0]).startswith(folder)):
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
source = compile(open("/app/ledger.py").read(), "/app/ledger.py", "exec")
sys.addaudithook(hook)
exec(source, {"__name__": "__main__", "__file__": "/app/ledger.py"})
"""
KILLED_IN_WRITE = r"""
import resource, signal, sys
limit = int(sys.argv.pop(1))
source = compile(open("/app/ledger.py").read(), "/app/ledger.py", "exec")
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
exec(source, {"__name__": "__main__", "__file__": "/app/ledger.py"})
"""


def run(*arguments: str | Path, seconds: float = 30) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, LEDGER, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=seconds, cwd="/")


def add(path: Path, account: str, amount: int, *more: str, seconds: float = 30) -> int:
    result = run(path, "add", account, str(amount), *more, seconds=seconds)
    assert result.returncode == 0, result.stderr
    return int(result.stdout)


def read(path: Path) -> dict:
    return json.loads(path.read_text(encoding="utf-8"))


def large(path: Path) -> dict:
    """A ledger of several hundred kilobytes, so that reading and writing take their time."""
    ledger = {"accounts": {f"account {number}": number for number in range(15_000)}, "entries": 15_000, "ids": ["é"]}
    path.write_text(json.dumps(ledger, ensure_ascii=False) + "\n", encoding="utf-8")
    return ledger


def test_no_booking_is_lost(tmp_path):
    path = tmp_path / "ledger.json"
    large(path)
    with ThreadPoolExecutor(12) as pool:
        balances = list(pool.map(lambda number: add(path, "cash", 1), range(60)))
    assert sorted(balances) == list(range(1, 61)), "two bookings saw the same balance"
    ledger = read(path)
    assert ledger["accounts"]["cash"] == 60
    assert ledger["entries"] == 15_060
    assert len(ledger["accounts"]) == 15_001


def test_the_first_bookings_race_for_the_file(tmp_path):
    for turn in range(4):
        path = tmp_path / f"new {turn}.json"
        with ThreadPoolExecutor(10) as pool:
            list(pool.map(lambda number: add(path, f"account {number % 3}", number), range(10)))
        ledger = read(path)
        assert (ledger["entries"], sum(ledger["accounts"].values())) == (10, 45)


def test_readers_never_see_half_a_ledger(tmp_path):
    path = tmp_path / "ledger.json"
    large(path)
    writers = [subprocess.Popen([sys.executable, LEDGER, path, "add", "cash", "1"], stdout=subprocess.DEVNULL) for _ in range(16)]
    reads = 0
    while any(writer.poll() is None for writer in writers) or reads < 50:
        assert len(read(path)["accounts"]) >= 15_000
        reads += 1
    assert [writer.returncode for writer in writers] == [0] * 16
    assert read(path)["accounts"]["cash"] == 16


def test_same_id_at_once_books_once(tmp_path):
    path = tmp_path / "ledger.json"
    large(path)
    with ThreadPoolExecutor(12) as pool:
        balances = set(pool.map(lambda number: add(path, "cash", 7, "--id", f"invoice {number % 4}"), range(24)))
    ledger = read(path)
    assert ledger["accounts"]["cash"] == 28
    assert balances <= {7, 14, 21, 28}
    assert sorted(ledger["ids"]) == sorted(["é", *(f"invoice {number}" for number in range(4))])
    assert ledger["entries"] == 15_004


def add_killed(program: str, point: int, path: Path) -> int:
    """Adds 1 to cash with `program`; answers the exit code, which is the negative signal for a killed process."""
    command = [sys.executable, "-c", program, str(point), str(path), "add", "cash", "1"]
    return subprocess.run(command, capture_output=True, timeout=30, cwd="/").returncode


def assert_next_add_works(path: Path) -> None:
    balance = read(path)["accounts"].get("cash", 0)
    began = time.monotonic()
    assert add(path, "cash", 1, seconds=10) == balance + 1
    assert time.monotonic() - began < 5, "what the killed process left behind holds up the next one"


def test_killed_at_any_operation(tmp_path):
    path = tmp_path / "ledger.json"
    before = large(path)
    for point in range(100):
        balance = read(path)["accounts"].get("cash", 0)
        code = add_killed(KILLED_AT_OPERATION, point, path)
        after = read(path)["accounts"].get("cash", 0)
        assert after == balance + 1 if code == 0 else after in (balance, balance + 1)
        assert_next_add_works(path)
        if code == 0:
            break
    else:
        pytest.fail("more than 100 operations on files for one booking")
    accounts = read(path)["accounts"]
    assert {name: accounts[name] for name in before["accounts"]} == before["accounts"]


@pytest.mark.parametrize("size", [1, 4096, 100_000, 250_000])
def test_killed_in_the_middle_of_a_write(tmp_path, size):
    path = tmp_path / "ledger.json"
    before = large(path)
    assert path.stat().st_size > 250_000
    assert add_killed(KILLED_IN_WRITE, size, path) != 0
    assert read(path) == before
    assert_next_add_works(path)


def test_a_stopped_writer_of_one_file_does_not_hold_up_another(tmp_path):
    one, other = tmp_path / "one.json", tmp_path / "other.json"
    large(one)
    add(other, "cash", 1)
    # Stopped again and again in the course of its work; at some of these points it holds whatever it locks.
    process = subprocess.Popen([sys.executable, LEDGER, one, "add", "cash", "1"], stdout=subprocess.DEVNULL)
    expected = 1
    while process.poll() is None:
        os.kill(process.pid, signal.SIGSTOP)
        expected += 1
        assert add(other, "cash", 1, seconds=10) == expected
        os.kill(process.pid, signal.SIGCONT)
        try:
            process.wait(0.02)
        except subprocess.TimeoutExpired:
            continue
    assert process.returncode == 0


def test_link_and_mode_remain(tmp_path):
    folder = tmp_path / "real folder"
    folder.mkdir()
    target, link = folder / "ledger.json", tmp_path / "link.json"
    target.write_text('{"accounts": {"cash": 1}, "entries": 1, "ids": []}\n')
    target.chmod(0o640)
    link.symlink_to("real folder/ledger.json")
    # Through both names at once: they are one ledger.
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: add(link if number % 2 else target, "cash", 1), range(16)))
    assert os.readlink(link) == "real folder/ledger.json"
    assert read(target)["accounts"]["cash"] == 17
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_format_of_the_file(tmp_path):
    path = tmp_path / "ledger.json"
    add(path, "Büro", 3, "--id", "x")
    assert path.read_text(encoding="utf-8") == '{"accounts": {"Büro": 3}, "entries": 1, "ids": ["x"]}\n'
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~umask()
    add(path, "Büro", 3, "--id", "x")
    add(path, "cash", -1)
    assert path.read_text(encoding="utf-8") == '{"accounts": {"Büro": 3, "cash": -1}, "entries": 2, "ids": ["x"]}\n'


def umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_command_line_is_as_it_was(tmp_path):
    path = tmp_path / "ledger.json"
    shown = run(path, "show")
    assert (shown.returncode, shown.stdout) == (0, "total\t0\t0 entries\n")
    assert not path.exists(), "show made the file"
    assert run("/app/example.json", "show").stdout == "cash\t100\nrent\t-40\ntotal\t60\t2 entries\n"
    path.write_text("{")
    broken = run(path, "add", "cash", "1")
    assert (broken.returncode, broken.stdout) == (1, "")
    assert broken.stderr.startswith(f"ledger: {path}: Expecting property name")
    assert path.read_text() == "{"
    assert run(path, "add", "cash", "much").returncode == 2
    nowhere = run(tmp_path / "no folder" / "ledger.json", "add", "cash", "1")
    assert nowhere.returncode == 1 and nowhere.stderr.startswith("ledger: ")
