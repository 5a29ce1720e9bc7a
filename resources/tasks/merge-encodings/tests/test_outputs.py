"""The merged file, read as CSV, row by row."""

import csv
import hashlib
import io
from pathlib import Path

SALES = Path("/data/sales.csv")
EXPORTS = Path("/data/exports")

HEADER = ["office", "customer", "city", "amount"]
ROWS = [
    ["north", "Åse Lindqvist", "Umeå", "120.00"],
    ["north", "Berg, Sons & Co", "Tromsø", "99.50"],
    ["north", "Łukasz Żak", "Gdańsk", "1250.75"],
    ["north", 'Linn "Lilla" Ek', "Kiruna", "0.10"],
    ["south", "Peña Hermanos", "Málaga", "310.40"],
    ["south", "Via Roma 3\nInterno 7", "Napoli", "18.00"],
    ["south", "Νίκος Παππάς", "Αθήνα", "77.77"],
    ["east", "Dvořák; Novák", "Brno", "1234.50"],
    ["east", "Иван Петров", "Варна", "15.00"],
    ["east", "Ștefan Țone", "Iași", "-42.10"],
    ["west", "Café “Zoë”", "Liège", "2000.00"],
    ["west", "Œuvre – Fils", "Nîmes", "7.50"],
    ["west", "100 € Shop", "Gent", "12345678.90"],
    ["west", "O’Hara", "Cork", "0.00"],
]
DIGESTS = {
    "east.csv": "7c69aa94cb0163a61fef705447d61b5ccbb6493bb29b5c018abc913f3311d7fc",
    "north.csv": "0f93a2d4f1e17eaa463b2dbd0c065e03903a5d0587b348897471ca7b8a5a80f7",
    "south.csv": "12217f4f9eae0dc744dd7939a839a5466ae4943971601f58db4f81274d0a67b1",
    "west.csv": "3c2ea98a7cbcf4b238dbf22d3f0e51d6b55c88e36a1b4cef6c6e8846588ca841",
}


def rows() -> list[list[str]]:
    assert SALES.is_file(), f"{SALES} is missing"
    text = SALES.read_bytes().decode("utf-8")
    # A break inside a field may keep the export's CR; as a row end it is checked below.
    return [[field.replace("\r\n", "\n") for field in row] for row in csv.reader(io.StringIO(text, newline=""))]


def test_encoding_and_line_ends():
    data = SALES.read_bytes()
    data.decode("utf-8")
    assert not data.startswith(b"\xef\xbb\xbf"), "there is a byte order mark"
    assert data.endswith(b"\n")
    assert data.split(b"\n")[0] == b"office,customer,city,amount"
    assert data.count(b"\r") <= 1, "lines end with CR LF"


def test_header():
    assert rows()[0] == HEADER


def test_text_fields():
    assert [row[:3] for row in rows()[1:]] == [row[:3] for row in ROWS]


def test_amounts():
    assert [row[3] for row in rows()[1:]] == [row[3] for row in ROWS]


def test_exports_are_as_they_were():
    for name, digest in DIGESTS.items():
        assert hashlib.sha256((EXPORTS / name).read_bytes()).hexdigest() == digest, f"{name} was changed"
