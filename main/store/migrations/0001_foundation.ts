// First schema. Times are integer milliseconds since the epoch, ids uuidv7, JSON columns hold contract shapes. `seq` is the order of
// insertion; `rev` comes from the one counter in `revision` and is unique over all rows, so a page may end between any two of them.
// A migration is never edited after a release: a new shape, also inside a JSON column, is a new file.
export const foundation = `
CREATE TABLE revision (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  rev INTEGER NOT NULL
) STRICT;
INSERT INTO revision VALUES (1, 0);

-- What was removed, so that a reader with an older cursor learns of it. scope: id of the task set or rollout it belonged to.
CREATE TABLE tombstone (
  id TEXT PRIMARY KEY,
  tab TEXT NOT NULL,
  scope TEXT NOT NULL,
  rev INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX tombstone_rev ON tombstone (tab, rev);
CREATE INDEX tombstone_scope ON tombstone (tab, scope, rev);

CREATE TABLE task_set (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  path TEXT NOT NULL UNIQUE,
  origin TEXT NOT NULL,
  task_count INTEGER NOT NULL,
  rev INTEGER NOT NULL
) STRICT;
CREATE INDEX task_set_rev ON task_set (rev);

CREATE TABLE task (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  set_id TEXT NOT NULL REFERENCES task_set (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  path TEXT NOT NULL,
  format TEXT NOT NULL,
  digest TEXT NOT NULL,
  instruction TEXT NOT NULL,
  difficulty TEXT,
  category TEXT,
  tags TEXT NOT NULL,
  has_solution INTEGER NOT NULL,
  issues TEXT NOT NULL,
  gates TEXT NOT NULL,
  rev INTEGER NOT NULL,
  UNIQUE (set_id, path)
) STRICT;
CREATE INDEX task_rev ON task (rev);
CREATE INDEX task_scope ON task (set_id, rev);

-- The n_ columns are kept in step with the rollouts by every write (counters.ts); nothing ever counts them again.
CREATE TABLE run (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  status TEXT NOT NULL,
  config TEXT NOT NULL,
  error TEXT,
  n_total INTEGER NOT NULL,
  n_queued INTEGER NOT NULL,
  n_active INTEGER NOT NULL,
  n_finished INTEGER NOT NULL,
  n_errors INTEGER NOT NULL,
  n_cancelled INTEGER NOT NULL,
  n_interrupted INTEGER NOT NULL,
  n_verdicts INTEGER NOT NULL,
  n_passed INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  ended_at INTEGER,
  rev INTEGER NOT NULL
) STRICT;
CREATE INDEX run_rev ON run (rev);

-- No reference to task: a rollout outlives the task set it was played from, and carries what it needs of the task itself.
CREATE TABLE rollout (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  run_id TEXT NOT NULL REFERENCES run (id) ON DELETE CASCADE,
  task_id TEXT NOT NULL,
  task_name TEXT NOT NULL,
  task_digest TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  agent TEXT NOT NULL,
  model TEXT,
  status TEXT NOT NULL,
  outcome TEXT,
  verdict_state TEXT,
  reward REAL,
  error TEXT,
  turns INTEGER NOT NULL DEFAULT 0,
  prompt_tokens INTEGER NOT NULL DEFAULT 0,
  completion_tokens INTEGER NOT NULL DEFAULT 0,
  timings TEXT NOT NULL DEFAULT '{}',
  queued_at INTEGER NOT NULL,
  started_at INTEGER,
  ended_at INTEGER,
  rev INTEGER NOT NULL
) STRICT;
CREATE INDEX rollout_rev ON rollout (rev);
CREATE INDEX rollout_scope ON rollout (run_id, rev);

CREATE TABLE verdict (
  rollout_id TEXT PRIMARY KEY REFERENCES rollout (id) ON DELETE CASCADE,
  verdict TEXT NOT NULL,
  output TEXT,
  output_blob TEXT
) STRICT, WITHOUT ROWID;

-- content is NULL where it lies in content_blob; tokens_blob holds token ids, log-probabilities and token texts together.
CREATE TABLE node (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  rollout_id TEXT NOT NULL REFERENCES rollout (id) ON DELETE CASCADE,
  parent_id TEXT,
  turn INTEGER NOT NULL,
  role TEXT NOT NULL,
  author TEXT NOT NULL,
  content TEXT,
  content_blob TEXT,
  reasoning TEXT,
  reasoning_blob TEXT,
  format TEXT,
  prompt_tokens INTEGER,
  completion_tokens INTEGER,
  stop_reason TEXT,
  tokens_blob TEXT,
  text_bytes INTEGER NOT NULL,
  token_bytes INTEGER NOT NULL,
  sampled INTEGER NOT NULL,
  timings TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  rev INTEGER NOT NULL
) STRICT;
CREATE INDEX node_scope ON node (rollout_id, rev);

CREATE TABLE command (
  node_id TEXT NOT NULL REFERENCES node (id) ON DELETE CASCADE,
  idx INTEGER NOT NULL,
  keystrokes TEXT NOT NULL,
  duration REAL NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  exit_code INTEGER,
  settled TEXT,
  from_byte INTEGER NOT NULL,
  to_byte INTEGER,
  PRIMARY KEY (node_id, idx)
) STRICT, WITHOUT ROWID;

-- The log of facts. id is the revision that the fact was given.
CREATE TABLE event (
  id INTEGER PRIMARY KEY,
  rollout_id TEXT,
  kind TEXT NOT NULL,
  data TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX event_rollout ON event (rollout_id, id) WHERE rollout_id IS NOT NULL;

CREATE TABLE setting (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Text index over instructions, commands and outputs. It holds no text itself (most of it lies in blobs); search_entry says whose it is.
CREATE VIRTUAL TABLE search USING fts5(body, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2');
CREATE TABLE search_entry (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  owner TEXT NOT NULL,
  idx INTEGER
) STRICT;
CREATE INDEX search_owner ON search_entry (owner);
`;
