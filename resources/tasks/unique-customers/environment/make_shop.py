"""Fills the shop's database: 900 customers of whom many are the same; always the same ones."""

import random
import sqlite3
from pathlib import Path

pick = random.Random(7)
shop = sqlite3.connect("/srv/shop/shop.db")
shop.executescript(Path("/srv/shop/schema.sql").read_text())


def spelled(email: str) -> str:
    """The same address as somebody else might have typed it."""
    text = pick.choice([email, email.upper(), email.title(), email])
    return pick.choice(["", " ", "  "]) + text + pick.choice(["", " "])


for number in range(900):
    email = f"person{pick.randrange(620)}@example.org"
    name = pick.choice(["", f"Person {number}", f"P. {number}"])
    shop.execute(
        "INSERT INTO customers (id, email, name, points, newsletter) VALUES (?, ?, ?, ?, ?)",
        (number * 3 + 1, spelled(email), name, pick.randrange(500), pick.randrange(2)),
    )
    for name_of_list in pick.sample(["news", "offers", "events"], pick.randrange(3)):
        since = f"20{pick.randrange(18, 26)}-{pick.randrange(1, 13):02}-{pick.randrange(1, 29):02}"
        shop.execute("INSERT INTO subscriptions VALUES (?, ?, ?)", (number * 3 + 1, name_of_list, since))
for number in range(2500):
    customer = pick.randrange(900) * 3 + 1
    shop.execute("INSERT INTO orders VALUES (?, ?, ?)", (number + 1, customer, pick.randrange(500, 90_000)))
shop.commit()
shop.close()
