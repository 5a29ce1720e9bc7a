"""Uses spoolctl the way people and crashed machines do, as the user who owns it."""

import hashlib
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

SPOOL = Path("/home/user/spool")
PID_FILE = SPOOL / "run" / "spool.pid"
AS_USER = ["runuser", "-u", "user", "--"]
WORKER_DIGEST = "68aa0ba839f3bdc9d9bc1e543260bd41161f1fcf3afdd1c9a795d5b493a04b29"


def workers() -> list[int]:
    """Process ids of living workers; zombies have an empty command line."""
    found = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            arguments = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if len(arguments) > 1 and b"python" in arguments[0] and arguments[1].endswith(b"spool-worker"):
            found.append(int(folder.name))
    return found


def spoolctl(verb: str, seconds: float = 15) -> tuple[int, str]:
    # Output through pipes: a worker that keeps them open makes this wait until it times out.
    command = [*AS_USER, str(SPOOL / "spoolctl"), verb]
    result = subprocess.run(command, cwd="/", capture_output=True, text=True, timeout=seconds)
    return result.returncode, result.stdout.strip()


def started() -> int:
    code, text = spoolctl("start", seconds=4)
    match = re.fullmatch(r"started (\d+)", text)
    assert code == 0 and match, f"start: {code} {text!r}"
    await_true(lambda: workers() == [int(match[1])], "the process that start names is the worker")
    return int(match[1])


def await_true(condition, what: str, seconds: float = 5) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, f"not so within {seconds} s: {what}"
        time.sleep(0.02)


@pytest.fixture(autouse=True)
def no_worker():
    """Each test begins and ends without a worker, without a PID file, and without a hold."""

    def clear():
        for pid in workers():
            os.kill(pid, signal.SIGKILL)
        await_true(lambda: not workers(), "workers are gone")
        for name in ("spool.pid", "hold", "last-exit"):
            (SPOOL / "run" / name).unlink(missing_ok=True)

    clear()
    yield
    clear()


@pytest.fixture
def stranger():
    """Another program of the same user."""
    process = subprocess.Popen([*AS_USER, "sleep", "300"])
    child = await_child(process.pid)
    yield child
    process.kill()


@pytest.fixture
def reader():
    """A program that has the worker's file open and its path in its command line."""
    process = subprocess.Popen([*AS_USER, "tail", "-f", str(SPOOL / "spool-worker")], stdout=subprocess.DEVNULL)
    child = await_child(process.pid)
    yield child
    process.kill()


def await_child(parent: int) -> int:
    """runuser forks: the program itself is its child."""
    listing = Path(f"/proc/{parent}/task/{parent}/children")
    await_true(lambda: listing.read_text().split(), "the program has started")
    return int(listing.read_text().split()[0])


def write_pid_file(text: str) -> None:
    subprocess.run([*AS_USER, "tee", str(PID_FILE)], input=text, text=True, stdout=subprocess.DEVNULL, check=True)


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_start_status_stop():
    pid = started()
    assert PID_FILE.read_text().strip() == str(pid)
    assert spoolctl("status") == (0, f"running {pid}")
    assert spoolctl("stop") == (0, "stopped")
    assert not workers()
    assert not PID_FILE.exists()
    assert spoolctl("status") == (3, "stopped")
    assert spoolctl("stop") == (0, "stopped")


def test_second_start_starts_nothing():
    pid = started()
    assert spoolctl("start") == (0, f"already running {pid}")
    assert workers() == [pid]


def test_dead_number():
    write_pid_file("31337\n")
    assert spoolctl("status") == (3, "stopped")
    started()


@pytest.mark.parametrize("text", ["", "\n", "not a number\n", "-1\n", "0\n", "12 34\n"])
def test_garbage(text):
    write_pid_file(text)
    assert spoolctl("status") == (3, "stopped")
    assert spoolctl("stop") == (0, "stopped")
    assert not PID_FILE.exists()
    write_pid_file(text)
    started()


def test_number_of_another_program(stranger):
    write_pid_file(f"{stranger}\n")
    assert spoolctl("status") == (3, "stopped")
    assert spoolctl("stop") == (0, "stopped")
    assert alive(stranger), "stop ended a program that is not the worker"
    write_pid_file(f"{stranger}\n")
    started()
    assert alive(stranger)


def test_number_of_a_program_that_reads_the_worker(reader):
    write_pid_file(f"{reader}\n")
    assert spoolctl("status") == (3, "stopped")
    assert spoolctl("stop") == (0, "stopped")
    assert alive(reader), "stop ended a program that is not the worker"
    started()


def test_stop_lets_the_job_end():
    pid = started()
    # A worker that has not yet installed its handler dies of TERM; it says so through its handled signals.
    await_true(lambda: handles_term(pid), "the worker handles TERM")
    assert spoolctl("stop") == (0, "stopped")
    assert (SPOOL / "run" / "last-exit").read_text() == f"{pid} finished its job\n"


def test_stop_kills_a_worker_that_does_not_end():
    pid = started()
    await_true(lambda: handles_term(pid), "the worker handles TERM")
    (SPOOL / "run" / "hold").touch()
    began = time.monotonic()
    assert spoolctl("stop") == (0, "stopped")
    assert 4 <= time.monotonic() - began <= 9
    assert not alive(pid)
    assert not PID_FILE.exists()


def handles_term(pid: int) -> bool:
    caught = re.search(r"^SigCgt:\s*([0-9a-f]+)$", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    return caught is not None and bool(int(caught[1], 16) >> (signal.SIGTERM - 1) & 1)


def test_worker_is_as_it_was():
    started()
    assert hashlib.sha256((SPOOL / "spool-worker").read_bytes()).hexdigest() == WORKER_DIGEST
