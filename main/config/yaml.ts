// Reads a YAML file with the line of every key, and checks it against a schema.
import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseAllDocuments } from 'yaml';
import type { ErrorCode } from '../contract/errors.ts';
import { AppError } from '../lib/errors.ts';

export type KeyPath = (string | number)[];

export interface YamlRead {
  value: unknown;
  /** Line (from 1) of the key at a path, or of the nearest key above it. */
  lineOf(path: KeyPath): number;
}

/**
 * Parses one YAML 1.2 document. Fails with `code` and `where` = `name:line` on a syntax error, a key given twice, or several
 * documents in one file. An empty text gives an empty map.
 */
export function readYaml(text: string, name: string, code: ErrorCode = 'config.invalid'): YamlRead {
  const counter = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter: counter, prettyErrors: false });
  if ('empty' in documents) return { value: {}, lineOf: () => 1 };
  const [document, second] = documents;
  const problem = document?.errors[0] ?? document?.warnings[0];
  if (problem) {
    const { line, col } = counter.linePos(problem.pos[0]);
    throw new AppError(code, `not valid YAML: ${problem.message}`, {
      where: `${name}:${line}`,
      hint: `Look at line ${line}, column ${col}.`,
    });
  }
  if (!document || second) {
    const line = second?.contents?.range ? counter.linePos(second.contents.range[0]).line : 1;
    throw new AppError(code, 'holds more than one YAML document', { where: `${name}:${line}`, hint: 'Keep one document a file.' });
  }
  const lines = new Map<string, number>();
  collectLines(document.contents, [], counter, lines);
  return {
    value: toValue(() => document.toJS({ maxAliasCount: 100 }) ?? {}, name, code),
    lineOf: (path) => {
      for (let length = path.length; length > 0; length -= 1) {
        const line = lines.get(JSON.stringify(path.slice(0, length)));
        if (line !== undefined) return line;
      }
      return 1;
    },
  };
}

/** Aliases can multiply a small text into gigabytes; the library refuses that by throwing here. */
function toValue(read: () => unknown, name: string, code: ErrorCode): unknown {
  try {
    return read();
  } catch (error) {
    throw new AppError(code, `not valid YAML: ${error instanceof Error ? error.message : String(error)}`, {
      where: `${name}:1`,
      cause: error,
    });
  }
}

function collectLines(node: Node | null, path: KeyPath, counter: LineCounter, lines: Map<string, number>): void {
  if (isAlias(node)) return;
  if (isMap<unknown, Node | null>(node)) {
    for (const { key, value } of node.items) {
      if (!isScalar(key) || !key.range) continue;
      const below = [...path, String(key.value)];
      lines.set(JSON.stringify(below), counter.linePos(key.range[0]).line);
      collectLines(value, below, counter, lines);
    }
  } else if (isSeq<Node | null>(node)) {
    node.items.forEach((item, index) => {
      const below = [...path, index];
      if (item?.range) lines.set(JSON.stringify(below), counter.linePos(item.range[0]).line);
      collectLines(item, below, counter, lines);
    });
  }
}
