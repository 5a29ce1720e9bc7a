#!/bin/bash
# Everything hangs on one temporary table that says who is kept for whom. Rows are re-pointed before customers are deleted, so that
# ON DELETE CASCADE takes nothing with it where foreign keys are enforced.
set -euo pipefail
cat > /srv/shop/migrations/002_unique_email.sql <<'SQL'
-- Version 2: one customer per e-mail address, whatever its spaces and capitals.
BEGIN IMMEDIATE;

CREATE TEMP TABLE merging AS
  SELECT id, lower(trim(email)) AS email, min(id) OVER (PARTITION BY lower(trim(email))) AS kept
  FROM customers;
CREATE INDEX temp.merging_id ON merging (id);
CREATE INDEX temp.merging_kept ON merging (kept);

UPDATE customers
SET points = (SELECT sum(c.points) FROM merging m JOIN customers c ON c.id = m.id WHERE m.kept = customers.id),
    newsletter = (SELECT max(c.newsletter) FROM merging m JOIN customers c ON c.id = m.id WHERE m.kept = customers.id),
    name = coalesce((
      SELECT c.name FROM merging m JOIN customers c ON c.id = m.id
      WHERE m.kept = customers.id AND c.name <> '' ORDER BY c.id LIMIT 1
    ), '')
WHERE id IN (SELECT kept FROM merging);

UPDATE orders SET customer_id = (SELECT kept FROM merging WHERE id = customer_id)
WHERE customer_id IN (SELECT id FROM merging WHERE id <> kept);

CREATE TEMP TABLE merged_subscriptions AS
  SELECT m.kept AS customer_id, s.list, min(s.since) AS since
  FROM subscriptions s JOIN merging m ON m.id = s.customer_id GROUP BY m.kept, s.list;
DELETE FROM subscriptions;
INSERT INTO subscriptions (customer_id, list, since) SELECT customer_id, list, since FROM merged_subscriptions;

DELETE FROM customers WHERE id IN (SELECT id FROM merging WHERE id <> kept);
UPDATE customers SET email = lower(trim(email));
CREATE UNIQUE INDEX customers_email ON customers (email);
PRAGMA user_version = 2;

DROP TABLE merged_subscriptions;
DROP TABLE merging;
COMMIT;
SQL
sqlite3 -bail /srv/shop/shop.db < /srv/shop/migrations/002_unique_email.sql
