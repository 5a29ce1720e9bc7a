// Large payloads, zstd-compressed, by the SHA-256 of their content, so that each is stored once. Small ones are rows: SQLite writes those
// faster than any file system, and a row is as safe as the one that names it. Large ones are files whose path can only come from a hash.
import { createHash } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { AppError } from '../lib/errors.ts';
import type { Db } from './db.ts';
import { dataFailure } from './failure.ts';
import type { Store } from './store.ts';

/** Decompressed bytes kept at hand: pages of a live rollout are read again and again. */
const cacheBytes = 16 * 1024 * 1024;

/** Compressed bytes up to which a payload is a row. Above it, a page of SQLite is no better than a file, and the database stays lean. */
const rowBytes = 64 * 1024;

const hashForm = /^[0-9a-f]{64}$/;

/** Opens the payloads of a store. What a killed process was still writing into the folder is removed. */
export function openBlobs(folder: string, db: Db): Store['blobs'] {
  const unfinished = join(folder, 'unfinished');
  try {
    rmSync(unfinished, { recursive: true, force: true });
    mkdirSync(unfinished, { recursive: true });
  } catch (error) {
    throw dataFailure(error, folder);
  }
  const cache = new Map<string, Buffer>();
  let cached = 0;
  let written = 0;

  const pathOf = (hash: string) => join(folder, hash.slice(0, 2), `${hash.slice(2)}.zst`);

  const keep = (hash: string, content: Buffer) => {
    if (content.length > cacheBytes / 4 || cache.has(hash)) return;
    cache.set(hash, content);
    cached += content.length;
    for (const [oldest, bytes] of cache) {
      if (cached <= cacheBytes) break;
      cache.delete(oldest);
      cached -= bytes.length;
    }
  };

  const store = (hash: string, path: string, packed: Uint8Array) => {
    if (packed.length <= rowBytes) {
      db.run('INSERT INTO blob (hash, content) VALUES (?, ?)', hash, packed);
      return;
    }
    written += 1;
    writeWhole(path, join(unfinished, String(written)), packed);
  };

  return {
    put(content) {
      // A copy: the caller may go on using its buffer, and the cache must not change with it.
      const bytes = Buffer.from(content);
      const hash = createHash('sha256').update(bytes).digest('hex');
      // The cache does not say that it is stored: a transaction in which it was may have been rolled back.
      if (db.value('SELECT 1 FROM blob WHERE hash = ?', hash) !== undefined) return hash;
      const path = pathOf(hash);
      try {
        if (!existsSync(path)) store(hash, path, zstdCompressSync(bytes));
      } catch (error) {
        throw dataFailure(error, folder);
      }
      keep(hash, bytes);
      return hash;
    },

    get(hash) {
      if (!hashForm.test(hash)) return null;
      const known = cache.get(hash);
      if (known) return known;
      const row = db.get<{ content: Uint8Array }>('SELECT content FROM blob WHERE hash = ?', hash);
      const path = pathOf(hash);
      if (!row && !existsSync(path)) return null;
      const where = row ? `blob ${hash} in ${db.file}` : path;
      let content: Buffer;
      try {
        content = zstdDecompressSync(row?.content ?? readFileSync(path));
      } catch (error) {
        throw damaged(where, error);
      }
      if (createHash('sha256').update(content).digest('hex') !== hash) throw damaged(where);
      keep(hash, content);
      return content;
    },
  };
}

function damaged(where: string, cause?: unknown): AppError {
  return new AppError('data.corrupt', `${where} does not hold what was stored there`, {
    hint: 'Restore it from a backup of the data folder. Everything else can still be read.',
    cause,
  });
}

/**
 * A reader sees the whole file or none. It is on the disk before this returns, because the row that names it may be there soon after: a
 * power cut must not leave a row that points nowhere.
 */
function writeWhole(path: string, draft: string, content: Uint8Array): void {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true });
  writeFileSync(draft, content, { flush: true });
  renameSync(draft, path);
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
