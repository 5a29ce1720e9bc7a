"""Writes the three access logs of the task; always the same."""

import gzip
import random
from pathlib import Path

LOGS = Path("/srv/logs")
pick = random.Random(20260307)

CLIENTS = [f"10.{pick.randrange(4)}.{pick.randrange(30)}.{pick.randrange(1, 250)}" for _ in range(24)] + ["2001:db8::17", "2001:db8::5"]
REQUESTS = [
    "GET / HTTP/1.1",
    "GET /items/42 HTTP/1.1",
    "POST /orders HTTP/1.1",
    "GET /search?q=error 500 HTTP/1.1",
    'GET /search?q=\\"exact match\\" 503 HTTP/1.1',
    "GET /downloads/annual report 2026.pdf HTTP/1.1",
    "-",
]
AGENTS = ["curl/8.5.0", "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101", 'probe \\" 502 \\" 1.0', "-"]
STATUSES = [200] * 12 + [204, 301, 304, 400, 404, 404, 499, 500, 502, 503, 504, 600]


def line(number: int) -> str:
    # Weighted, so that a few clients have many requests and some have none that failed.
    client = CLIENTS[min(int(pick.expovariate(0.12)), len(CLIENTS) - 1)]
    second = number % 60
    minute = number // 60 % 60
    hour = number // 3600 % 24
    size = pick.choice([0, 500, 512, 503, 18_231])
    return (
        f'{client} - - [07/Mar/2026:{hour:02}:{minute:02}:{second:02} +0000] "{pick.choice(REQUESTS)}" '
        f'{pick.choice(STATUSES)} {size} "-" "{pick.choice(AGENTS)}"\n'
    )


LOGS.mkdir(parents=True)
with gzip.GzipFile(LOGS / "access.log.2.gz", "wb", mtime=0) as file:
    file.write("".join(line(number) for number in range(2400)).encode())
(LOGS / "access.log.1").write_text("".join(line(number) for number in range(1900)))
(LOGS / "access.log").write_text("".join(line(number) for number in range(700)))
