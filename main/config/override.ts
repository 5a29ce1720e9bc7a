// `-o a.b=c`: one value of a configuration, given on the command line.
import { parseDocument } from 'yaml';
import { AppError } from '../lib/errors.ts';
import type { Layer } from './merge.ts';
import type { KeyPath } from './yaml.ts';

/**
 * Reads `a.b=c`. The path is dotted, with quotes around a name that holds a dot or an equals sign (`sandbox.aliases."python:3.11"=…`);
 * the value is YAML, so `[a, b]`, `true`, `3` and `null` mean what they look like. Fails with `config.invalid` naming the override.
 */
export function readOverride(text: string): Layer {
  const { path, rest } = readPath(text);
  const document = parseDocument(rest, { prettyErrors: false });
  const [problem] = document.errors;
  if (problem) throw invalid(text, `the value is not valid YAML: ${problem.message}`);
  const value = path.reduceRight<unknown>((inner, part) => ({ [part]: inner }), document.toJS());
  return { value, sourceOf: () => ({ kind: 'override', text }) };
}

function readPath(text: string): { path: string[]; rest: string } {
  const path: KeyPath & string[] = [];
  const part = /(?:"([^"]*)"|([^."=\s]+))\s*([.=])/y;
  for (;;) {
    const hit = part.exec(text);
    if (!hit) break;
    path.push(hit[1] ?? hit[2] ?? '');
    if (hit[3] === '=') return { path, rest: text.slice(part.lastIndex) };
  }
  throw invalid(text, 'is not of the form key.key=value');
}

function invalid(text: string, message: string): AppError {
  return new AppError('config.invalid', `-o ${text}: ${message}`, { hint: 'For example: -o limits.turns=20 -o "agents=[oracle, nop]"' });
}
