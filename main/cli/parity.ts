// `termarium parity`: whether a model sees the same prompt in training as in evaluation.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import pc from 'picocolors';
import type { Parity } from '../contract/schema/tokens.ts';
import { AppError } from '../lib/errors.ts';
import type { Common } from './commands.ts';
import { cliLog, openLab } from './connection.ts';
import { exitCodes, plain, printJson } from './print.ts';

type Client = Awaited<ReturnType<typeof openLab>>['client'];
type Prompt = Parameters<Client['tokens']['parity']>[0]['first'];

/**
 * Compares two prompts, and with `turns` those of so many turns from there on. Exit code 1 where they differ.
 * A prompt is `ROLLOUT[@TURN]` or `FILE.jsonl[:LINE][@TURN]`; lines and turns count from 1.
 */
export async function parityCommand(
  first: string,
  second: string,
  options: { tokenizer: string; turns: number },
  common: Common,
): Promise<number> {
  const prompts = { first: promptOf(first), second: promptOf(second) };
  const tokenizer = existsSync(options.tokenizer) ? resolve(options.tokenizer) : options.tokenizer;
  await using lab = await openLab(common.paths, cliLog());
  let equal = true;
  for (let turn = 0; turn < options.turns; turn += 1) {
    const one = { ...prompts.first, turn: prompts.first.turn + turn };
    const two = { ...prompts.second, turn: prompts.second.turn + turn };
    const compared = await lab.client.tokens.parity({ first: one, second: two, tokenizer }, { signal: common.signal });
    equal &&= compared.equal;
    if (common.json) printJson({ turns: { first: one.turn + 1, second: two.turn + 1 }, ...compared });
    else
      process.stdout.write(
        `${words(compared, one.turn === two.turn ? `turn ${one.turn + 1}` : `turns ${one.turn + 1} and ${two.turn + 1}`)}\n`,
      );
  }
  return equal ? exitCodes.ok : exitCodes.failed;
}

function promptOf(text: string): Prompt {
  const [, what = '', turnText] = /^(.*?)(?:@(\d+))?$/s.exec(text) ?? [];
  const turn = turnText === undefined ? 1 : Number(turnText);
  const file = /^(.*\.jsonl(?:\.gz)?)(?::(\d+))?$/s.exec(what);
  const line = file?.[2] === undefined ? 1 : Number(file[2]);
  if (turn < 1 || line < 1 || what === '') {
    throw new AppError('request.invalid', `${text} is no prompt`, {
      hint: 'Give ROLLOUT, ROLLOUT@TURN, FILE.jsonl:LINE or FILE.jsonl:LINE@TURN; lines and turns count from 1.',
    });
  }
  return file?.[1] === undefined
    ? { kind: 'rollout', rolloutId: what, turn: turn - 1 }
    : { kind: 'row', path: resolve(file[1]), line, turn: turn - 1 };
}

function words({ equal, template, tokens, parting, roles, messages }: Parity, turn: string): string {
  const unframed = template ? '' : pc.yellow(' (without a chat template: only roles and texts were compared)');
  if (equal && messages.length === 0) return `${pc.green('equal')} ${turn}: ${tokens.first} tokens${unframed}`;
  if (equal) {
    return `${pc.green('equal')} ${turn}: ${tokens.first} tokens, although ${messages.length} messages differ as texts${unframed}`;
  }
  const lines = [`${pc.red('differs')} ${turn}: ${tokens.first} and ${tokens.second} tokens${unframed}`];
  if (parting) {
    lines.push(
      `  first difference at token ${parting.at + 1}`,
      `    after  ${quoted(parting.before)}`,
      `    first  ${quoted(parting.first)}`,
      `    second ${quoted(parting.second)}`,
    );
  }
  if (roles.first.join() !== roles.second.join()) lines.push(`  roles: ${roles.first.join(' ')}`, `     and ${roles.second.join(' ')}`);
  for (const { index, roles: role, at, first, second } of messages) {
    const where = at === null ? '' : ` from character ${at + 1} on`;
    lines.push(
      `  message ${index + 1} (${role.first ?? 'none'}, ${role.second ?? 'none'}) differs${where}`,
      ...(at === null ? [] : [`    first  ${quoted(first)}`, `    second ${quoted(second)}`]),
    );
  }
  return lines.join('\n');
}

/** Spaces and line ends are often what differs: they have to be seen. */
function quoted(text: string): string {
  return text === '' ? pc.dim('(nothing: it ends here)') : plain(JSON.stringify(text));
}
