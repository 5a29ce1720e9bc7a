#!/bin/bash
# A thread per connection, bytes instead of characters in Content-Length, decoded names, and a start script that waits for an answer.
set -euo pipefail
cat > /srv/inventory/server.py <<'PY'
"""Serves the inventory as JSON over HTTP."""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

FOLDER = Path(__file__).resolve().parent
config = json.loads((FOLDER / "config.json").read_text(encoding="utf-8"))
items = json.loads((FOLDER / "items.json").read_text(encoding="utf-8"))


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        # Split first and decode later: an encoded slash or question mark belongs to the name.
        url = urlsplit(self.path)
        if url.path == "/health":
            self.answer("ok", "text/plain; charset=utf-8")
        elif url.path == "/items":
            self.answer_items(parse_qs(url.query, keep_blank_values=True).get("min"))
        elif url.path.startswith("/items/"):
            name = unquote(url.path[len("/items/"):])
            found = next((item for item in items if item["name"] == name), None)
            if found is None:
                self.send_error(404)
            else:
                self.answer_json(found)
        else:
            self.send_error(404)

    def answer_items(self, least):
        try:
            number = None if least is None else int(least[-1])
        except ValueError:
            self.send_error(400)
            return
        self.answer_json([item for item in items if number is None or item["count"] >= number])

    def answer_json(self, value):
        self.answer(json.dumps(value, ensure_ascii=False), "application/json")

    def answer(self, text, kind):
        body = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Server(ThreadingHTTPServer):
    daemon_threads = True


Server(("127.0.0.1", int(config["port"])), Handler).serve_forever()
PY
cat > /srv/inventory/start.sh <<'SH'
#!/bin/bash
# Starts the inventory service in the background and ends when it answers; fails if it does not.
cd "$(dirname "$(readlink -f "$0")")" || exit 1
port=$(python3 -c 'import json; print(int(json.load(open("config.json"))["port"]))') || exit 1
setsid python3 server.py < /dev/null > server.log 2>&1 &
pid=$!
for _ in $(seq 100); do
  # First whether it still runs: on a taken port somebody else would answer.
  kill -0 "$pid" 2> /dev/null || { cat server.log >&2; exit 1; }
  if curl -fsS -m 1 "http://127.0.0.1:$port/health" > /dev/null 2>&1 && kill -0 "$pid" 2> /dev/null; then
    echo "started $pid"
    exit 0
  fi
  sleep 0.1
done
echo 'the service does not answer' >&2
kill "$pid"
exit 1
SH
