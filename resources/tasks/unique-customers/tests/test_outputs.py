"""The migrated shop, and the migration on shops that the agent has not seen, against the same rules in Python."""

import sqlite3
import subprocess
from pathlib import Path

import pytest

SHOP = Path("/srv/shop/shop.db")
MIGRATION = Path("/srv/shop/migrations/002_unique_email.sql")
TESTS = Path(__file__).resolve().parent
SCHEMA = (TESTS / "schema.sql").read_text()

# Small, and made of corner cases: the kept row is not the first by e-mail or name, three of one, lists in common, names empty or blank at
# first, a customer without anything, ids with gaps, and a customer whose clean spelling belongs to a higher id.
SMALL = """
INSERT INTO customers VALUES (5, ' Ann@Example.org', '', 10, 0), (9, 'ann@example.org', 'Ann', 5, 0), (12, 'ANN@EXAMPLE.ORG  ', 'Anna', 1, 1);
INSERT INTO customers VALUES (2, 'bob@example.org', 'Bob', 7, 0), (40, 'Bob@example.org', 'Robert', 0, 0);
INSERT INTO customers VALUES (3, 'Cleo@Example.Org ', '', 0, 1), (77, 'zoe@example.org', 'Zoé', 3, 0), (78, 'an n@example.org', 'O''Neil', 4, 0);
INSERT INTO customers VALUES (90, 'dan@example.org', '', 1, 0), (91, 'DAN@example.org', '', 2, 0);
INSERT INTO orders VALUES (1, 12, 100), (2, 9, 200), (3, 5, 300), (4, 40, 400), (5, 77, 500), (6, 91, 600), (7, 12, 100);
INSERT INTO subscriptions VALUES (5, 'news', '2024-05-01'), (9, 'news', '2022-01-01'), (12, 'news', '2023-01-01'), (12, 'offers', '2020-02-02');
INSERT INTO subscriptions VALUES (9, 'offers', '2021-02-02'), (2, 'news', '2019-01-01'), (40, 'news', '2025-01-01'), (40, 'events', '2025-01-02');
INSERT INTO subscriptions VALUES (91, 'news', '2018-01-01');
"""
EXTRA = "CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('kept'); CREATE INDEX orders_customer ON orders (customer_id);"


def new_shop(path: Path, *scripts: str) -> Path:
    shop = sqlite3.connect(path)
    shop.executescript(SCHEMA + "".join(scripts))
    shop.close()
    return path


def state(path: Path) -> dict[str, list[tuple]]:
    shop = sqlite3.connect(path)
    try:
        return {
            "customers": shop.execute("SELECT id, email, name, points, newsletter FROM customers ORDER BY id").fetchall(),
            "orders": shop.execute("SELECT id, customer_id, total_cents FROM orders ORDER BY id").fetchall(),
            "subscriptions": shop.execute("SELECT customer_id, list, since FROM subscriptions ORDER BY 1, 2").fetchall(),
        }
    finally:
        shop.close()


def merged(before: dict[str, list[tuple]]) -> dict[str, list[tuple]]:
    """What the rules make of a shop."""
    kept: dict[str, list] = {}
    keeper: dict[int, int] = {}
    for number, email, name, points, newsletter in before["customers"]:
        clean = email.strip(" ").lower()
        if clean not in kept:
            kept[clean] = [number, clean, name, points, newsletter]
        else:
            row = kept[clean]
            row[2] = row[2] or name
            row[3] += points
            row[4] |= newsletter
        keeper[number] = kept[clean][0]
    since: dict[tuple[int, str], str] = {}
    for number, name_of_list, day in before["subscriptions"]:
        key = (keeper[number], name_of_list)
        since[key] = min(day, since.get(key, day))
    return {
        "customers": sorted(tuple(row) for row in kept.values()),
        "orders": [(number, keeper[customer], cents) for number, customer, cents in before["orders"]],
        "subscriptions": sorted((customer, name_of_list, day) for (customer, name_of_list), day in since.items()),
    }


def migrate(path: Path) -> subprocess.CompletedProcess[str]:
    assert MIGRATION.is_file(), f"{MIGRATION} is missing"
    with MIGRATION.open() as script:
        # -batch and no rc file: only what the instruction says.
        command = ["sqlite3", "-batch", "-init", "/dev/null", "-bail", str(path)]
        return subprocess.run(command, stdin=script, capture_output=True, text=True, timeout=60, cwd=path.parent)


def assert_version_2(path: Path) -> None:
    shop = sqlite3.connect(path)
    assert shop.execute("PRAGMA user_version").fetchone() == (2,)
    assert shop.execute("PRAGMA foreign_key_check").fetchall() == []
    assert shop.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    indexes = {name: unique for _, name, unique, *_ in shop.execute("PRAGMA index_list(customers)")}
    assert indexes.get("customers_email") == 1
    assert [row[2] for row in shop.execute("PRAGMA index_info(customers_email)")] == ["email"]
    shop.close()


def schema_of(path: Path) -> list[tuple]:
    shop = sqlite3.connect(path)
    rows = shop.execute("SELECT type, name, sql FROM sqlite_schema WHERE name <> 'customers_email' ORDER BY name").fetchall()
    shop.close()
    return rows


@pytest.fixture(scope="module")
def original(tmp_path_factory) -> Path:
    """The shop as it was, made by the image's own program."""
    folder = tmp_path_factory.mktemp("original")
    program = (TESTS / "make_shop.py").read_text().replace("/srv/shop/shop.db", str(folder / "shop.db"))
    program = program.replace("/srv/shop/schema.sql", str(TESTS / "schema.sql"))
    subprocess.run(["python3", "-I", "-c", program], check=True, timeout=60)
    return folder / "shop.db"


def test_shop_is_merged(original):
    assert state(SHOP) == merged(state(original))


def test_shop_is_of_version_2(original):
    assert_version_2(SHOP)
    assert schema_of(SHOP) == schema_of(original)


def test_small_shop(tmp_path):
    path = new_shop(tmp_path / "small.db", SMALL)
    before = state(path)
    result = migrate(path)
    assert result.returncode == 0, result.stderr
    assert state(path) == merged(before)
    assert_version_2(path)


def test_shop_without_duplicates_keeps_everything_else(tmp_path):
    path = new_shop(tmp_path / "other.db", "INSERT INTO customers VALUES (4, 'Eve@example.org', '', 1, 1);", EXTRA)
    before = schema_of(path)
    result = migrate(path)
    assert result.returncode == 0, result.stderr
    assert state(path)["customers"] == [(4, "eve@example.org", "", 1, 1)]
    assert schema_of(path) == before
    shop = sqlite3.connect(path)
    assert shop.execute("SELECT text FROM notes").fetchall() == [("kept",)]


@pytest.mark.parametrize(
    "trigger",
    [
        "BEFORE DELETE ON customers WHEN old.id = 91",
        "BEFORE UPDATE ON orders WHEN old.id = 6",
        "BEFORE UPDATE ON customers WHEN old.id = 90",
    ],
    ids=["delete", "orders", "customers"],
)
def test_failing_migration_changes_nothing(tmp_path, trigger):
    path = new_shop(tmp_path / "failing.db", SMALL, f"CREATE TRIGGER stop {trigger} BEGIN SELECT raise(ABORT, 'stopped'); END;")
    before = (state(path), schema_of(path))
    if migrate(path).returncode == 0:
        # A migration that finds a way around the trigger is fine, if it did all its work and left the trigger in place.
        assert (state(path), schema_of(path)) == (merged(before[0]), before[1])
        return
    assert (state(path), schema_of(path)) == before
    shop = sqlite3.connect(path)
    assert shop.execute("PRAGMA user_version").fetchone() == (1,)
    assert shop.execute("PRAGMA index_list(customers)").fetchall() == []
