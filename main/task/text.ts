// What a task's prose files say once marks that are not meant for the agent are taken away.

import { join } from 'node:path';
import { hasFile, readText } from './files.ts';
import type { TaskSolution } from './task.ts';

/**
 * The instruction as the agent sees it: comment lines (`#` or HTML) at the top that carry a benchmark's canary are removed, with
 * the blank lines after them. Other leading comments and headings stay.
 */
export function stripCanary(text: string): string {
  let rest = text.replace(/^\uFEFF/, '');
  let isStripped = false;
  for (;;) {
    const comment = /^[ \t]*(?:<!--[\s\S]*?-->|#[^\n]*)[ \t]*(?:\r?\n|$)/.exec(rest)?.[0];
    if (comment === undefined || !/canary/i.test(comment)) break;
    rest = rest.slice(comment.length);
    isStripped = true;
  }
  return isStripped ? rest.replace(/^(?:[ \t]*\r?\n)+/, '') : rest;
}

/** The oracle script at `path`, or why there is none: absent, or a placeholder that does nothing but fail. */
export async function readSolutionScript(folder: string, path: string, env: Record<string, string>): Promise<TaskSolution> {
  if (!(await hasFile(folder, path))) return { kind: 'missing', reason: `The task has no ${path}.` };
  const reason = placeholderReason((await readText(folder, path)) ?? '');
  return reason === null
    ? { kind: 'script', path: join(folder, path), env }
    : { kind: 'missing', reason: `${path} is a placeholder: ${reason}` };
}

/** Why a script is no solution, or null where it does something: every line is blank, a comment, a shell option or an exit. */
export function placeholderReason(script: string): string | null {
  const lines = script.split('\n').map((line) => line.trim());
  const doesNothing = lines.every(
    (line) => line === '' || line.startsWith('#') || /^(set\s[^;&|]*|exit(\s+\d+)?|true|false|:)$/.test(line),
  );
  if (!doesNothing) return null;
  const comment = lines.find((line) => /^#(?!!)/.test(line) && /[A-Za-z]/.test(line) && !/canary/i.test(line));
  return comment === undefined ? 'it holds no command.' : `"${comment.replace(/^#\s*/, '')}"`;
}
