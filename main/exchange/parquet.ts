// Rows of a Parquet file as plain objects, a bounded number at a time.
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { asyncBufferFromFile, type FileMetaData, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { messageOf } from '../lib/errors.ts';
import { invalid, type JsonObject } from './json.ts';

/** Rows decoded at once: conversations of a few hundred kilobytes each stay well below a hundred megabytes. */
const AT_ONCE = 128;
/** What one page may unpack to. */
const MOST_PAGE_BYTES = 512 * 1024 * 1024;

const compressors = {
  GZIP: (input: Uint8Array, length: number) => gunzipSync(input, { maxOutputLength: Math.max(length, 1) }),
  ZSTD: (input: Uint8Array, length: number) =>
    zstdDecompressSync(input, { maxOutputLength: Math.min(Math.max(length, 1), MOST_PAGE_BYTES) }),
};

/** Rows with their numbers from 1. Throws `request.invalid` for a file that is no Parquet or is cut. */
export async function* parquetRows(path: string): AsyncGenerator<{ number: number; row: JsonObject; bytes: number }> {
  let metadata: FileMetaData;
  const file = await asyncBufferFromFile(path);
  try {
    metadata = await parquetMetadataAsync(file);
  } catch (error) {
    throw invalid(`is no whole Parquet file: ${messageOf(error)}`, path, 1, error);
  }
  const total = Number(metadata.num_rows);
  for (let start = 0; start < total; start += AT_ONCE) {
    const end = Math.min(total, start + AT_ONCE);
    let rows: Record<string, unknown>[];
    try {
      rows = await parquetReadObjects({ file, metadata, rowStart: start, rowEnd: end, compressors });
    } catch (error) {
      throw invalid(`rows ${start + 1} to ${end} cannot be decoded: ${messageOf(error)}`, path, start + 1, error);
    }
    const bytes = file.byteLength / total;
    for (const [index, row] of rows.entries()) yield { number: start + index + 1, row: plain(row), bytes };
  }
}

/** What JSON can hold: large integers as numbers, bytes left out. */
function plain(row: Record<string, unknown>): JsonObject {
  const text = JSON.stringify(row, (_key, value: unknown) => {
    if (typeof value === 'bigint') return Number(value);
    return value instanceof Uint8Array ? undefined : value;
  });
  return JSON.parse(text);
}
