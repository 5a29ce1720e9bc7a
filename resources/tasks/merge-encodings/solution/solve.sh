#!/bin/bash
# Each office has its own encoding, separator and decimal sign; the csv module knows about quotes and about breaks inside them.
set -euo pipefail
python3 - <<'PY'
import csv
from decimal import Decimal

OFFICES = [("north", "utf-8", ",", "."), ("south", "utf-8-sig", ",", "."), ("east", "utf-16", ";", ","), ("west", "cp1252", ";", ",")]

with open("/data/sales.csv", "w", encoding="utf-8", newline="") as target:
    writer = csv.writer(target, lineterminator="\n")
    writer.writerow(["office", "customer", "city", "amount"])
    for office, encoding, separator, point in OFFICES:
        with open(f"/data/exports/{office}.csv", encoding=encoding, newline="") as source:
            for row in csv.DictReader(source, delimiter=separator):
                thousands = "," if point == "." else "."
                amount = Decimal(row["amount"].replace(thousands, "").replace(point, "."))
                writer.writerow([office, row["customer"].replace("\r\n", "\n"), row["city"], f"{amount:.2f}"])
PY
