// Reads the answers of a scripted model from YAML. Pure but for reading the files; scripted.ts plays what this gives.
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { type Document, isMap, isNode, isScalar, LineCounter, parseAllDocuments } from 'yaml';
import * as z from 'zod';
import { AppError, messageOf } from '../lib/errors.ts';

/** One answer: either `text`, word for word, or the parts of a Terminus answer, which are rendered as JSON. */
const answerSchema = z
  .strictObject({
    text: z.string().optional(),
    reasoning: z.string().optional(),
    finish: z.enum(['stop', 'length', 'context', 'filter', 'other']).default('stop'),
    analysis: z.string().optional(),
    plan: z.string().optional(),
    commands: z.array(z.strictObject({ keystrokes: z.string(), duration: z.number().min(0).optional() })).optional(),
    task_complete: z.boolean().optional(),
  })
  .superRefine((answer, context) => {
    const parts = (['analysis', 'plan', 'commands', 'task_complete'] as const).filter((key) => answer[key] !== undefined);
    const [part] = parts;
    if (answer.text !== undefined && part !== undefined) {
      context.addIssue({ code: 'custom', path: [part], message: `an answer has either text or ${part}, not both` });
    }
    if (answer.text === undefined && part === undefined && answer.finish !== 'context') {
      context.addIssue({ code: 'custom', message: 'an answer needs text, or at least one of analysis, plan, commands, task_complete' });
    }
  });

const scriptSchema = z.strictObject({
  task: z.string().min(1),
  attempts: z.array(z.array(answerSchema).min(1, 'an attempt needs at least one answer')).min(1, 'a script needs at least one attempt'),
});

interface ScriptedAnswer {
  text: string;
  reasoning: string | null;
  finish: z.infer<typeof answerSchema>['finish'];
}

/** The answers for one task; `task` is its name without the organisation, or `*`. */
export interface Script {
  task: string;
  attempts: ScriptedAnswer[][];
  /** `file:line` of its first line. */
  where: string;
}

/** The text that a model would say: `text`, or the parts as the JSON of the Terminus protocol, two spaces deep, in its usual key order. */
function render(answer: z.infer<typeof answerSchema>): string {
  if (answer.text !== undefined) return answer.text;
  const { analysis = '', plan = '', commands = [], task_complete } = answer;
  if (answer.finish === 'context') return '';
  return JSON.stringify({ analysis, plan, commands, ...(task_complete === undefined ? {} : { task_complete }) }, null, 2);
}

/**
 * Reads the scripts in a YAML text (several documents are several scripts). `file` is only used to say where an error is.
 * @throws AppError `config.invalid` with `file:line`.
 */
export function parseScripts(text: string, file: string): Script[] {
  const lineCounter = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter, prettyErrors: false });
  const at = (offset: number) => `${file}:${Math.max(1, lineCounter.linePos(offset).line)}`;
  const broken = (message: string, offset: number) =>
    new AppError('config.invalid', `${at(offset)}: ${message}`, {
      where: at(offset),
      hint: 'A script is a mapping with `task` and `attempts`; see docs/guide/models.md.',
    });

  const scripts: Script[] = [];
  // An empty text gives an EmptyStream, which has no documents to iterate over.
  for (const document of Array.isArray(documents) ? documents : []) {
    const [error] = document.errors;
    if (error) throw broken(error.message, error.pos[0]);
    let value: unknown;
    try {
      value = document.toJS({ maxAliasCount: 100 });
    } catch (cause) {
      throw broken(messageOf(cause), document.range[0]);
    }
    const parsed = scriptSchema.safeParse(value);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      if (!issue) throw parsed.error;
      const path = z.core.toDotPath(issue.path);
      throw broken(`${path && `${path}: `}${issue.message}`, offsetOf(document, issue));
    }
    const { task, attempts } = parsed.data;
    const answers = attempts.map((attempt) =>
      attempt.map((answer) => ({ text: render(answer), reasoning: answer.reasoning ?? null, finish: answer.finish })),
    );
    scripts.push({ task, attempts: answers, where: at(document.contents?.range[0] ?? document.range[0]) });
  }
  return scripts;
}

/** Offset of what an issue is about: the unknown key, else the value at its path, else the nearest thing around it that the text has. */
function offsetOf(document: Document.Parsed, issue: z.core.$ZodIssue): number {
  for (let length = issue.path.length; length >= 0; length -= 1) {
    const node = document.getIn(issue.path.slice(0, length), true);
    if (issue.code === 'unrecognized_keys' && isMap(node)) {
      const key = node.items.find((pair) => isScalar(pair.key) && pair.key.value === issue.keys[0])?.key;
      if (isScalar(key) && key.range) return key.range[0];
    }
    if (isNode(node) && node.range) return node.range[0];
  }
  return document.range[0];
}

/**
 * Reads a script file, or every `*.yaml` and `*.yml` directly in a folder in order of name. Paths in errors are relative to `root`.
 * @throws AppError `config.not_found` where there is nothing to read, `config.invalid` with `file:line` where a script is wrong.
 */
export async function readScripts(path: string, root: string): Promise<Map<string, Script>> {
  const found = await stat(path).catch((cause: unknown) => {
    throw new AppError('config.not_found', `cannot read the script of a scripted model: ${messageOf(cause)}`, {
      hint: 'Set `script` to a YAML file, or to a folder of them, relative to the folder that holds configs/.',
      cause,
    });
  });
  const names = found.isDirectory() ? (await readdir(path)).filter((name) => /\.ya?ml$/.test(name)).sort() : [''];
  const scripts = new Map<string, Script>();
  for (const name of names) {
    const file = join(path, name);
    for (const script of parseScripts(await readFile(file, 'utf8'), relative(root, file) || file)) {
      const other = scripts.get(script.task);
      if (other) {
        throw new AppError('config.invalid', `${script.where}: task ${script.task} has a script already, at ${other.where}`, {
          where: script.where,
          hint: 'Give each task one script; put further attempts under its `attempts`.',
        });
      }
      scripts.set(script.task, script);
    }
  }
  if (scripts.size === 0) {
    throw new AppError('config.not_found', `there is no script in ${relative(root, path) || path}`, {
      hint: 'Add a YAML file with `task` and `attempts`; see docs/guide/models.md.',
    });
  }
  return scripts;
}
