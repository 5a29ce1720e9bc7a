import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bulleted } from './answer.ts';
import { formatComplaint } from './feedback.ts';
import { parseAnswer } from './parse.ts';
import { answerFormats } from './parsers.ts';

const pack = resolve(import.meta.dirname, '../../../../shared/data/endless_playground/solution_sonnet');
const missing = existsSync(pack) ? '' : 'fixture pack not found at ../shared/data, skipping 2 tests';
if (missing) console.warn(missing);

describe.skipIf(missing !== '')('the answers of 64 recorded trials', () => {
  let folder = '';
  /** Each recorded answer and the prompt it led to. */
  const turns: { text: string; next: string }[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'termarium-answers-'));
    for (const archive of readdirSync(pack).filter((name) => name.endsWith('.tar.gz'))) {
      await execa('tar', ['-xzf', join(pack, archive), '-C', folder]);
    }
    const answers = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('response.txt'));
    for (const path of answers) {
      const following = path.replace(/episode-(\d+)\/response\.txt$/, (_, episode) => `episode-${Number(episode) + 1}/prompt.txt`);
      if (!existsSync(join(folder, following))) continue;
      turns.push({ text: readFileSync(join(folder, path), 'utf8'), next: readFileSync(join(folder, following), 'utf8') });
    }
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('get from strict mode the complaints, word for word, that the real Terminus-2 gave', () => {
    const counts = { warnings: 0, errors: 0, questions: 0, plain: 0 };
    for (const { text, next } of turns) {
      const answer = parseAnswer(text, 'strict');
      if (answer.error !== null) {
        expect(next).toBe(formatComplaint(answer.error, answer.warnings, answerFormats.json));
        counts.errors += 1;
      } else if (answer.complete) {
        expect(next).toMatch(/^Current terminal state:\n/);
        counts.questions += 1;
      } else if (answer.warnings.length > 0) {
        expect(next.startsWith(`Previous response had warnings:\nWARNINGS: ${bulleted(answer.warnings)}\n\n`)).toBe(true);
        counts.warnings += 1;
      } else {
        expect(next).toMatch(/^(?:New Terminal Output|Current Terminal Screen):\n/);
        counts.plain += 1;
      }
    }
    expect(counts).toMatchObject({ warnings: 122, errors: 3, questions: 66 });
  });

  it('are all read by robust mode, but for those that are no answers', () => {
    expect(turns.filter(({ text }) => !parseAnswer(text).format.robust)).toHaveLength(3);
  });
});
