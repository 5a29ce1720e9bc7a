-- Version 1 of the shop's database.
CREATE TABLE customers (
  id INTEGER PRIMARY KEY,
  email TEXT NOT NULL,
  name TEXT NOT NULL DEFAULT '',
  points INTEGER NOT NULL DEFAULT 0,
  newsletter INTEGER NOT NULL DEFAULT 0 CHECK (newsletter IN (0, 1))
);
CREATE TABLE orders (
  id INTEGER PRIMARY KEY,
  customer_id INTEGER NOT NULL REFERENCES customers (id) ON DELETE CASCADE,
  total_cents INTEGER NOT NULL
);
CREATE TABLE subscriptions (
  customer_id INTEGER NOT NULL REFERENCES customers (id) ON DELETE CASCADE,
  list TEXT NOT NULL,
  since TEXT NOT NULL,
  PRIMARY KEY (customer_id, list)
) WITHOUT ROWID;
PRAGMA user_version = 1;
