"""The report against counts made by another reading of the same logs."""

import gzip
import hashlib
import re
from collections import Counter
from pathlib import Path

LOGS = Path("/srv/logs")
REPORT = Path("/srv/report/errors.tsv")
DIGESTS = {
    "access.log": "5f42c3cf4314cadc76f32fbdd7f8cb8a046823605fbb6bc4e6d8247edae178f7",
    "access.log.1": "161d1b2353e4c9911c5bff6a36c5f18b9bba37f7e500d313404747b716f19b6d",
    "access.log.2.gz": "a018daac99c1758ceb42c5bb2f273982e3c22a5739f5b678cf100ae977ced59a",
}
LINE = re.compile(r'(\S+) \S+ \S+ \[[^\]]*\] "(?:[^"\\]|\\.)*" (\d{3}) \d+ "(?:[^"\\]|\\.)*" "(?:[^"\\]|\\.)*"')


def expected_counts() -> Counter[str]:
    texts = [(LOGS / "access.log").read_text(), (LOGS / "access.log.1").read_text()]
    texts.append(gzip.decompress((LOGS / "access.log.2.gz").read_bytes()).decode())
    counts: Counter[str] = Counter()
    for line in "".join(texts).splitlines():
        match = LINE.fullmatch(line)
        assert match, f"the test cannot read this line of the log: {line}"
        if 500 <= int(match[2]) <= 599:
            counts[match[1]] += 1
    return counts


def report_rows() -> list[tuple[str, str]]:
    assert REPORT.is_file(), f"{REPORT} is missing"
    rows = [tuple(line.split("\t")) for line in REPORT.read_text().splitlines()]
    assert all(len(row) == 2 for row in rows), "each line must be address, tab, count"
    return rows


def test_counts():
    reported = {client: int(count) for client, count in report_rows()}
    assert reported == dict(expected_counts())


def test_each_client_once_in_the_right_order():
    wanted = sorted(expected_counts().items(), key=lambda item: (-item[1], item[0].encode()))
    assert report_rows() == [(client, str(count)) for client, count in wanted]


def test_logs_are_as_they_were():
    for name, digest in DIGESTS.items():
        assert hashlib.sha256((LOGS / name).read_bytes()).hexdigest() == digest, f"{name} was changed"
