// Small payloads lie in the database: they are as durable as the row that names them without a file and two fsyncs each. `content` is
// zstd. Larger ones, and those of older versions, are files in `blobs/`.
export const smallBlobs = `
CREATE TABLE blob (
  hash TEXT NOT NULL UNIQUE,
  content BLOB NOT NULL
) STRICT;
`;
