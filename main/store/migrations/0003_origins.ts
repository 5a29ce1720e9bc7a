// Where imported runs and rollouts come from. `hash` is of the record's content, so that nothing is imported twice; `rest` is a blob with
// what the record holds and no other table has a place for.
export const origins = `
ALTER TABLE run ADD COLUMN origin TEXT;
CREATE TABLE origin (
  rollout_id TEXT PRIMARY KEY REFERENCES rollout (id) ON DELETE CASCADE,
  hash TEXT NOT NULL UNIQUE,
  format TEXT NOT NULL,
  file TEXT NOT NULL,
  line INTEGER,
  rest TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;
