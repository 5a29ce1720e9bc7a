"""The database is of version 1 and has the same customers several times."""

import sqlite3
from pathlib import Path


def test_version_and_duplicates():
    shop = sqlite3.connect("/srv/shop/shop.db")
    assert shop.execute("PRAGMA user_version").fetchone() == (1,)
    assert shop.execute("SELECT count(*) FROM customers").fetchone() == (900,)
    assert shop.execute("SELECT count(DISTINCT lower(trim(email))) FROM customers").fetchone()[0] < 700
    assert shop.execute("PRAGMA foreign_key_check").fetchall() == []


def test_no_migration_yet():
    assert list(Path("/srv/shop/migrations").iterdir()) == []
