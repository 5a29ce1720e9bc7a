"""Serves the inventory as JSON over HTTP."""

import json
from http.server import BaseHTTPRequestHandler, HTTPServer

config = json.load(open("config.json"))
items = json.load(open("items.json"))


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if self.path == "/health":
            self.answer("ok", "text/plain")
        elif self.path.startswith("/items"):
            name = self.path[len("/items/"):]
            if name:
                found = [item for item in items if item["name"] == name]
                self.answer_json(found[0])
            elif "min=" in self.path:
                least = self.path.split("min=")[1]
                self.answer_json([item for item in items if str(item["count"]) >= least])
            else:
                self.answer_json(items)
        else:
            self.send_error(404)

    def answer_json(self, value):
        self.answer(json.dumps(value, ensure_ascii=False), "text/json")

    def answer(self, text, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", len(text))
        self.end_headers()
        self.wfile.write(text.encode())


HTTPServer(("", config["port"]), Handler).serve_forever()
