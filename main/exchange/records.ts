// The records of a source, by what it turns out to be. A file is recognised by its content; only JSON lines and Parquet go by their name.
import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Source } from './discover.ts';
import { invalid, parseJson } from './json.ts';
import { isAtif } from './read-atif.ts';
import { isChat } from './read-chat.ts';
import { readHarborTrial } from './read-harbor.ts';
import { readAtifTrial, readChatTrial } from './read-trajectory.ts';
import { type Found, type Group, hashOf, issueOf } from './record.ts';
import { lineRecords, listRecords, parquetRecords } from './table-records.ts';
import { MOST_BYTES, readTrialFiles, readWhole } from './trial-files.ts';

/** Records of a source, one after the other; nothing of the ones before is kept. */
export async function* recordsOf(source: Source): AsyncGenerator<Found> {
  const file = source.kind === 'trial' ? source.folder : source.path;
  try {
    if (source.kind === 'trial') yield trialRecord(source.folder);
    else if (/\.jsonl(\.gz)?$/.test(file)) yield* lineRecords(file, source.asked);
    else if (file.endsWith('.parquet')) yield* parquetRecords(file, source.asked);
    else yield* fileRecords(source);
  } catch (error) {
    yield { kind: 'issue', issue: issueOf(error, file, null), bytes: 0 };
  }
}

function trialRecord(folder: string): Found {
  const files = readTrialFiles(folder);
  return {
    kind: 'record',
    hash: hashOf('harbor', files.hash),
    file: folder,
    line: null,
    bytes: files.bytes,
    group: groupOf(dirname(folder)),
    read: () => readHarborTrial(files),
  };
}

function* fileRecords({ path, companions, asked }: Extract<Source, { kind: 'file' }>): Generator<Found> {
  const content = readText(path);
  const value = parseJson(content.toString('utf8'), path);
  const group = groupOf(dirname(path));
  const record = { kind: 'record', file: path, line: null, bytes: content.length, group } as const;
  const list = listRecords(value, path, content.length);
  if (list) {
    yield* list;
    return;
  }
  if (isAtif(value)) {
    const others = companions.map((file) => ({ file, content: readText(file) }));
    const hash = hashOf('atif', Buffer.concat([content, ...others.map((other) => other.content)]));
    const bytes = record.bytes + others.reduce((sum, other) => sum + other.content.length, 0);
    yield {
      ...record,
      hash,
      bytes,
      read: () =>
        readAtifTrial(
          { path: 'trajectory.json', file: path, document: value },
          others.map((other) => ({
            path: nameBeside(path, other.file),
            file: other.file,
            document: parseJson(other.content.toString('utf8'), other.file),
          })),
        ),
    };
  } else if (isChat(value)) {
    yield { ...record, hash: hashOf('chat', content), read: () => readChatTrial(path, value) };
  } else if (asked) {
    throw invalid('is of no kind that can be imported', path);
  } else yield { kind: 'other', file: path };
}

/** Name of a companion as references give it: without the prefix that both files carry. */
function nameBeside(main: string, companion: string): string {
  return basename(companion).slice(basename(main).length - 'trajectory.json'.length);
}

export function groupOf(path: string): Group {
  return { name: basename(path), path };
}

/** Content of a file, unpacked where it is gzip. */
function readText(path: string): Buffer {
  if (!path.endsWith('.gz')) return readWhole(path);
  return gunzipSync(readFileSync(path), { maxOutputLength: MOST_BYTES });
}
