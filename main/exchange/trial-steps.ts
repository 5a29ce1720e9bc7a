// Steps of the trials of a table, from the steps.jsonl (or .gz) beside it: what was typed at each, how long it took, how it ended.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { invalid, numberOf, objectOf, parseJson, textOf } from './json.ts';
import { linesOf } from './lines.ts';

export interface TrialStep {
  modelMs: number;
  /** Null where nothing was run. */
  command: string | null;
  commandMs: number | null;
  exitCode: number | null;
  /** What was wrong with the answer, where nothing could be run for that. */
  formatError: string | null;
}

interface Group {
  key: string;
  steps: TrialStep[];
  bytes: number;
}

export interface TrialSteps {
  /**
   * Steps of a trial in their order; none where the file has none. Each trial is asked for once. Rejects once with `request.invalid` where
   * the file is broken or cannot be read in memory; there are no steps then.
   */
  of(model: string | null, trial: string): Promise<TrialStep[]>;
}

/** Bytes of steps that are held for trials which come later in the table; the files of the field have both in one order. */
const MOST_HELD = 256 * 1024 * 1024;

/** The steps beside a table; null where there are none. */
export function stepsBeside(table: string): TrialSteps | null {
  const file = ['steps.jsonl', 'steps.jsonl.gz'].map((name) => join(dirname(table), name)).find((path) => existsSync(path));
  if (file === undefined) return null;
  const groups = groupsOf(file);
  const held = new Map<string, { steps: TrialStep[]; bytes: number }>();
  let heldBytes = 0;
  return {
    async of(model, trial) {
      const key = keyOf(model, trial);
      const early = held.get(key);
      if (early) {
        held.delete(key);
        heldBytes -= early.bytes;
        return early.steps;
      }
      for (let next = await groups.next(); !next.done; next = await groups.next()) {
        const { key: found, ...group } = next.value;
        if (found === key) return group.steps;
        held.set(found, group);
        heldBytes += group.bytes;
        if (heldBytes > MOST_HELD) {
          await groups.return(undefined);
          throw invalid('has its steps in another order than the table its trials, and is too large to be sorted', file);
        }
      }
      return [];
    },
  };
}

function keyOf(model: string | null, trial: string): string {
  return `${model ?? ''}\0${trial}`;
}

/** Steps of one trial after those of another, as they stand together in the file. Lines of another kind are passed over. */
async function* groupsOf(file: string): AsyncGenerator<Group> {
  let group: Group | undefined;
  for await (const line of linesOf(file)) {
    const row = objectOf(line.text === null || line.text.trim() === '' ? null : parseJson(line.text, file, line.number));
    const trial = textOf(row?.trial);
    if (!row || trial === null) continue;
    const key = keyOf(textOf(row.model), trial);
    if (group && group.key !== key) {
      yield group;
      group = undefined;
    }
    group ??= { key, steps: [], bytes: 0 };
    const seconds = numberOf(row.bash_s);
    group.steps.push({
      modelMs: Math.round((numberOf(row.llm_s) ?? 0) * 1000),
      command: textOf(row.cmd),
      commandMs: seconds === null ? null : Math.round(seconds * 1000),
      exitCode: numberOf(row.return_code),
      formatError: formatErrorOf(row.format_error),
    });
    group.bytes += line.bytes;
  }
  if (group) yield group;
}

function formatErrorOf(value: unknown): string | null {
  if (value === undefined || value === null || value === false) return null;
  return typeof value === 'string' ? value : 'The answer could not be read by the agent.';
}
