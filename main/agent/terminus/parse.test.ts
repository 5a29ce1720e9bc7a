import { describe, expect, it } from 'vitest';
import { parseAnswer } from './parse.ts';

const whole = '{"analysis":"a","plan":"p","commands":[{"keystrokes":"ls\\n","duration":0.1}]}';
const ls = [{ keystrokes: 'ls\n', duration: 0.1 }];
const fields = '"analysis":"a","plan":"p",';
const EXTRA_BEFORE = 'Extra text detected before JSON object';
const EXTRA_AFTER = 'Extra text detected after JSON object';
const CONCATENATED =
  'Command 1 should end with newline when followed by another command. Otherwise the two commands will be concatenated together on the same line.';

interface Case {
  what: string;
  text: string;
  strict: boolean;
  robust: boolean;
  keystrokes?: string[];
  durations?: number[];
  complete?: boolean;
  problems?: string[];
}

/** What Terminus-2's own parser was measured to do with each, and what ours does with what that one refuses. */
const conformance: Case[] = [
  { what: 'a plain answer', text: whole, strict: true, robust: true, keystrokes: ['ls\n'], problems: [] },
  {
    what: 'a fenced answer',
    text: `\`\`\`json\n${whole}\n\`\`\``,
    strict: true,
    robust: true,
    keystrokes: ['ls\n'],
    problems: [EXTRA_BEFORE, EXTRA_AFTER],
  },
  {
    what: 'one missing final brace',
    text: whole.slice(0, -1),
    strict: true,
    robust: true,
    keystrokes: ['ls\n'],
    problems: ['AUTO-CORRECTED: Fixed incomplete JSON by adding missing closing brace - please fix this in future responses'],
  },
  {
    what: 'an array around it',
    text: `[ ${whole} ]`,
    strict: true,
    robust: true,
    keystrokes: ['ls\n'],
    problems: [EXTRA_BEFORE, EXTRA_AFTER],
  },
  {
    what: 'two objects: the first counts',
    text: `${whole}\n${whole.replace('ls', 'rm x')}`,
    strict: true,
    robust: true,
    keystrokes: ['ls\n'],
    problems: [EXTRA_AFTER],
  },
  { what: 'a missing brace inside the commands', text: `{${fields}"commands":[{"keystrokes":"ls\\n"]}`, strict: false, robust: false },
  {
    what: 'a trailing comma in the commands',
    text: `{${fields}"commands":[{"keystrokes":"ls\\n","duration":0.1},]}`,
    strict: false,
    robust: true,
    keystrokes: ['ls\n'],
    problems: ['AUTO-CORRECTED: Removed a trailing comma - please fix this in future responses'],
  },
  {
    what: 'raw line breaks in a string',
    text: `{${fields}"commands":[{"keystrokes":"cat > f <<E\nhi\nE\n","duration":0.1}]}`,
    strict: false,
    robust: true,
    keystrokes: ['cat > f <<E\nhi\nE\n'],
    problems: ['AUTO-CORRECTED: Escaped raw line breaks or control characters inside a JSON string - please fix this in future responses'],
  },
  {
    what: 'an escape that JSON does not know',
    text: `{${fields}"commands":[{"keystrokes":"grep \\d f\\n"}]}`,
    strict: false,
    robust: false,
  },
  { what: 'an answer cut inside a string', text: `{${fields}"commands":[{"keystrokes":"rm -rf /tm`, strict: false, robust: false },
  { what: 'an answer cut inside a command', text: `{${fields}"commands":[{"keystrokes":"cd /\\n"`, strict: false, robust: false },
  {
    what: 'an answer cut where another command follows',
    text: `{${fields}"commands":[{"keystrokes":"cd /\\n"},`,
    strict: false,
    robust: false,
  },
  { what: 'an answer cut inside a number', text: `{"analysis":"a","plan":"p","commands":[],"task_complete":1`, strict: true, robust: true },
  {
    what: 'both closing brackets missing after a whole command',
    text: `{${fields}"commands":[{"keystrokes":"ls\\n","duration":0.1}`,
    strict: false,
    robust: true,
    keystrokes: ['ls\n'],
    problems: ['AUTO-CORRECTED: Added missing closing brackets at the end - please fix this in future responses'],
  },
  {
    what: 'the last brace missing in a fence',
    text: `\`\`\`json\n${whole.slice(0, -1)}\n\`\`\``,
    strict: false,
    robust: true,
    keystrokes: ['ls\n'],
  },
  {
    what: 'leaked thinking with braces, keystrokes without',
    text: `<think>maybe {x}</think>{"analysis":"a","plan":"p","commands":[{"keystrokes":"ls\\n","duration":0.1}]}`,
    strict: true,
    robust: true,
    keystrokes: ['ls\n'],
    problems: ['AUTO-CORRECTED: Extracted JSON from mixed content - please fix this in future responses'],
  },
  {
    what: 'leaked thinking with braces, and keystrokes with braces too',
    text: `<think>maybe {x}</think>{${fields}"commands":[{"keystrokes":"echo \${A}\\n","duration":0.1}]}`,
    strict: false,
    robust: true,
    keystrokes: [`echo \${A}\n`],
    problems: [EXTRA_BEFORE],
  },
  {
    what: 'thinking that holds a draft of the answer, closed without being opened',
    text: `so {"analysis":"no","commands":[{"keystrokes":"rm {a}\\n"}]} no</think>${whole}`,
    strict: false,
    robust: true,
    keystrokes: ['ls\n'],
  },
  {
    what: 'an answer behind objects of another format, as in a conversation that the model made up',
    text: `<invoke>[{"keystrokes":"ls\\n","duration":1}]</invoke> <result>…</result> ${whole.replace('"a"', '"{a}"')}`,
    strict: false,
    robust: false,
    problems: ['Missing required fields: analysis, plan, commands', EXTRA_BEFORE, EXTRA_AFTER],
  },
  {
    what: 'an answer behind braces that are no JSON',
    text: `I first thought of find -exec rm {} and of {a,b}. ${whole}`,
    strict: false,
    robust: true,
    keystrokes: ['ls\n'],
  },
  {
    what: 'a finished task without commands',
    text: '{"analysis":"a","plan":"p","task_complete":true}',
    strict: false,
    robust: true,
    keystrokes: [],
    complete: true,
    problems: ['Missing required fields: commands'],
  },
  {
    what: 'no commands and not finished',
    text: '{"analysis":"a","plan":"p"}',
    strict: false,
    robust: false,
    problems: ['Missing required fields: commands'],
  },
  {
    what: 'task_complete 1',
    text: `{${fields}"commands":[],"task_complete":1}`,
    strict: true,
    robust: true,
    complete: true,
    problems: ["Field 'task_complete' should be a boolean or string"],
  },
  {
    what: 'task_complete null',
    text: `{${fields}"commands":[],"task_complete":null}`,
    strict: true,
    robust: true,
    complete: false,
    problems: [],
  },
  {
    what: 'task_complete "Yes"',
    text: `{${fields}"commands":[],"task_complete":"Yes"}`,
    strict: true,
    robust: true,
    complete: true,
    problems: [],
  },
  {
    what: 'task_complete "done"',
    text: `{${fields}"commands":[],"task_complete":"done"}`,
    strict: true,
    robust: true,
    complete: false,
    problems: [],
  },
  {
    what: 'durations below nothing, NaN and Infinity',
    text: `{${fields}"commands":[{"keystrokes":"a\\n","duration":-3},{"keystrokes":"b\\n","duration":NaN},{"keystrokes":"c\\n","duration":Infinity}]}`,
    strict: true,
    robust: true,
    durations: [-3, 0, 60],
  },
  {
    what: 'a duration as text',
    text: `{${fields}"commands":[{"keystrokes":"a\\n","duration":"5"}]}`,
    strict: true,
    robust: true,
    durations: [1],
    problems: ['Command 1: Invalid duration value, using default 1.0'],
  },
  {
    what: 'no duration',
    text: `{${fields}"commands":[{"keystrokes":"a\\n"}]}`,
    strict: true,
    robust: true,
    durations: [1],
    problems: ['Command 1: Missing duration field, using default 1.0'],
  },
  {
    what: 'an unknown field',
    text: `{${fields}"commands":[{"keystrokes":"a\\n","duration":1,"why":"x","how":"y"}]}`,
    strict: true,
    robust: true,
    problems: ['Command 1: Unknown fields: why, how'],
  },
  {
    what: 'a command that runs into the next',
    text: `{${fields}"commands":[{"keystrokes":"a","duration":1},{"keystrokes":"b","duration":1}]}`,
    strict: true,
    robust: true,
    keystrokes: ['a', 'b'],
    problems: [CONCATENATED],
  },
  {
    what: 'fields in another order',
    text: '{"commands":[],"plan":"p","analysis":"a"}',
    strict: true,
    robust: true,
    problems: ['Fields appear in wrong order. Found: commands → plan → analysis, expected: analysis → plan → commands'],
  },
  {
    what: 'analysis and plan that are no texts',
    text: '{"analysis":1,"plan":null,"commands":[]}',
    strict: true,
    robust: true,
    problems: ["Field 'analysis' should be a string", "Field 'plan' should be a string"],
  },
  {
    what: 'commands that are no array',
    text: `{${fields}"commands":"ls"}`,
    strict: false,
    robust: false,
    problems: ["Field 'commands' must be an array"],
  },
  {
    what: 'a command that is no object',
    text: `{${fields}"commands":["ls"]}`,
    strict: false,
    robust: false,
    problems: ['Command 1 must be an object'],
  },
  {
    what: 'a command without keystrokes',
    text: `{${fields}"commands":[{"keystrokes":"a\\n","duration":1},{"duration":1}]}`,
    strict: false,
    robust: false,
    problems: ["Command 2 missing required 'keystrokes' field"],
  },
  {
    what: 'keystrokes that are no text',
    text: `{${fields}"commands":[{"keystrokes":["ls"]}]}`,
    strict: false,
    robust: false,
    problems: ["Command 1 'keystrokes' must be a string"],
  },
  {
    what: 'a bad command of a finished task: finished, nothing run',
    text: `{${fields}"commands":[{"keystrokes":"a\\n","duration":1},"b"],"task_complete":true}`,
    strict: true,
    robust: true,
    keystrokes: [],
    complete: true,
    problems: ['Command 2 must be an object'],
  },
  {
    what: 'no object at all',
    text: 'I am sorry.',
    strict: false,
    robust: false,
    problems: ['No valid JSON found in response', 'No valid JSON object found'],
  },
  { what: 'nothing', text: '', strict: false, robust: false, problems: ['No valid JSON found in response', 'No valid JSON object found'] },
  { what: 'a lone quote in front', text: `Here is 5" of text: ${whole}`, strict: true, robust: true, keystrokes: ['ls\n'] },
  {
    what: 'an answer with unescaped JSON inside its keystrokes: nothing inside is taken for the answer',
    text: `{${fields}"commands":[{"keystrokes":"echo '{"commands":[],"task_complete":true}' \${X} > {f}\\n"}]}`,
    strict: false,
    robust: false,
  },
];

describe('an answer in the Terminus-2 JSON format', () => {
  it.each(conformance)('$what', ({ text, strict, robust, keystrokes, durations, complete, problems }) => {
    const answer = parseAnswer(text);
    expect(answer.format).toMatchObject({ strict, robust });
    if (keystrokes) expect(answer.commands.map((command) => command.keystrokes)).toEqual(keystrokes);
    if (durations) expect(answer.commands.map((command) => command.duration)).toEqual(durations);
    if (complete !== undefined) expect(answer.complete).toBe(complete);
    if (problems) expect(answer.format.problems).toEqual(problems);
    if (!robust) expect(answer.commands).toEqual([]);
  });

  it('is refused by strict mode where only robust mode accepts it', () => {
    const text = whole.replace('}]', '},]');
    expect(parseAnswer(text, 'robust')).toMatchObject({ error: null, commands: ls });
    expect(parseAnswer(text, 'strict')).toMatchObject({ commands: [], format: { strict: false, robust: true } });
  });

  it("names the place of a mistake in the words of Python's json", () => {
    expect(parseAnswer(`{${fields}"commands":[{"keystrokes":"\\d"}]}`, 'strict').error).toBe(
      `Invalid JSON: Invalid \\escape: line 1 column 55 (char 54) | Content: '{"analysis":"a","plan":"p","commands":[{"keystrokes":"\\\\d"}]}'`,
    );
    expect(parseAnswer(`{${fields}\n"commands":}`).error).toBe('Invalid JSON: Expecting value: line 2 column 12 (char 39)');
  });
});
