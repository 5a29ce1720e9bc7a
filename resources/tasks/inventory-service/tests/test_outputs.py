"""Starts the service through start.sh, where it lies and in a copy with other settings, and asks it questions over loopback."""

import hashlib
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path
from urllib.parse import quote

import pytest

INVENTORY = Path("/srv/inventory")
DIGESTS = {
    "config.json": "d69c728f201e29cb1d8a898044e370289b35886c6e9dcd6b9899d54c2b9d509a",
    "items.json": "2a40dcfd652956eb845d591bc4aca5f1902046d7836f15463d48d16121d37ccd",
}
OTHER_PORT = 18123
OTHER_ITEMS = [
    {"name": "Größe/XL", "count": 9, "place": "Z1"},
    {"name": "100% wool", "count": 10, "place": "Z2"},
    {"name": "日本 tape", "count": 100, "place": "Z3"},
    {"name": "a+b?c", "count": 2, "place": "Z4"},
]


def start(folder: Path) -> subprocess.CompletedProcess[str]:
    # From another folder and through pipes: a service that keeps them open makes this wait until it times out.
    return subprocess.run([str(folder / "start.sh")], cwd="/", capture_output=True, text=True, timeout=15)


def listeners(port: int) -> list[str]:
    """Local addresses that listen on this port."""
    lines = subprocess.run(["ss", "-Hltn", f"sport = :{port}"], capture_output=True, text=True, check=True).stdout.splitlines()
    return [line.split()[3] for line in lines]


def end(port: int) -> None:
    """Ends whatever listens on this port."""
    lines = subprocess.run(["ss", "-Hltnp", f"sport = :{port}"], capture_output=True, text=True, check=True).stdout
    for part in lines.split("pid=")[1:]:
        try:
            os.kill(int(part.split(",")[0]), signal.SIGKILL)
        except ProcessLookupError:
            pass
    until = time.monotonic() + 5
    while listeners(port):
        assert time.monotonic() < until, f"port {port} does not become free"
        time.sleep(0.02)


def ask(path: str, port: int) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        headers = {name.lower(): value for name, value in answer.getheaders()}
        body = answer.read()
        assert "content-length" not in headers or int(headers["content-length"]) == len(body)
        return answer.status, headers, body
    finally:
        connection.close()


def ask_json(path: str, port: int):
    status, headers, body = ask(path, port)
    assert status == 200
    assert headers["content-type"].split(";")[0].strip() == "application/json"
    assert "content-length" in headers
    return json.loads(body)


@pytest.fixture(scope="module")
def port():
    """The service in a copy of its folder, with settings and items of the test."""
    folder = Path("/tmp/inventory copy")
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(INVENTORY, folder)
    (folder / "config.json").write_text(json.dumps({"port": str(OTHER_PORT)}))
    (folder / "items.json").write_text(json.dumps(OTHER_ITEMS, ensure_ascii=False))
    result = start(folder)
    assert result.returncode == 0, result.stderr
    yield OTHER_PORT
    end(OTHER_PORT)


def test_starts_where_it_lies():
    try:
        result = start(INVENTORY)
        assert result.returncode == 0, result.stderr
        # At once: start.sh waits for the first answer.
        assert ask("/health", 8085)[0] == 200
        assert ask_json("/items", 8085) == json.loads((INVENTORY / "items.json").read_text())
        assert ask_json("/items/" + quote("Dübel 8 mm"), 8085)["place"] == "B7"
        assert ask_json("/items/" + quote("50/50 mix", safe=""), 8085)["place"] == "C2"
    finally:
        end(8085)


def test_listens_on_loopback_only(port):
    assert listeners(port) == [f"127.0.0.1:{port}"]


def test_health(port):
    status, _, body = ask("/health", port)
    assert (status, body.strip()) == (200, b"ok")


def test_all_items(port):
    assert ask_json("/items", port) == OTHER_ITEMS


@pytest.mark.parametrize("item", OTHER_ITEMS, ids=["slash", "percent", "japanese", "plus"])
def test_one_item(port, item):
    assert ask_json("/items/" + quote(item["name"], safe=""), port) == item


def test_min_is_a_number(port):
    assert [item["count"] for item in ask_json("/items?min=10", port)] == [10, 100]
    assert ask_json("/items?min=1000", port) == []
    assert len(ask_json("/items?min=-5", port)) == 4


@pytest.mark.parametrize("value", ["", "many", "1.5"])
def test_min_that_is_no_number(port, value):
    assert ask(f"/items?min={value}", port)[0] == 400


@pytest.mark.parametrize("path", ["/items/nothing", "/", "/itemsandmore", "/healthy"])
def test_not_found(port, path):
    assert ask(path, port)[0] == 404


def test_idle_clients_hold_up_nobody(port):
    idle = [socket.create_connection(("127.0.0.1", port), timeout=5) for _ in range(3)]
    kept = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        kept.request("GET", "/health")
        assert kept.getresponse().read().strip() == b"ok"
        assert ask("/health", port)[0] == 200
    finally:
        kept.close()
        for connection in idle:
            connection.close()


def test_says_when_the_port_is_taken(port):
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(("127.0.0.1", 8085))
        taken.listen()
        assert start(INVENTORY).returncode != 0


def test_json_files_are_as_they_were(port):
    for name, digest in DIGESTS.items():
        assert hashlib.sha256((INVENTORY / name).read_bytes()).hexdigest() == digest, f"{name} was changed"
