// Unsaved text of files of tasks. Kept by folder and path, not by task: a task that cannot be read for a while loses its row, not its drafts.
export const drafts = `
CREATE TABLE draft (
  folder TEXT NOT NULL,
  path TEXT NOT NULL,
  text TEXT NOT NULL,
  base TEXT,
  at INTEGER NOT NULL,
  PRIMARY KEY (folder, path)
) STRICT;
`;
