import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { completeResponse, parseXmlAnswer } from './xml.ts';

const keys = '<keystrokes duration="0.1">ls\n</keystrokes>';
const head = '<analysis>a</analysis><plan>p</plan>';
const whole = `<response>${head}<commands>${keys}</commands></response>`;
/** A response with these commands in it. */
const holding = (commands: string, rest = '') => `<response>${head}<commands>${commands}</commands>${rest}</response>`;
const EMPTY =
  "Commands section is empty; not taking any action. If you want to wait a specific amount of time please use `sleep`, but if you're waiting for a command to finish then continue to wait.";
const fixed = (what: string) => `AUTO-CORRECTED: ${what} - please fix this in future responses`;

interface Case {
  what: string;
  text: string;
  strict: boolean;
  robust: boolean;
  /** In robust mode, and in strict mode where it differs. */
  keystrokes?: string[];
  strictKeystrokes?: string[];
  durations?: number[];
  complete?: boolean;
  problems?: string[];
}

/** What Terminus-2's own parser does with each, and what ours does where that one loses something. */
const conformance: Case[] = [
  {
    what: 'a plain answer',
    text: whole,
    strict: true,
    robust: true,
    keystrokes: ['ls\n'],
    durations: [0.1],
    complete: false,
    problems: [],
  },
  { what: 'no response tag and no section', text: 'I am sorry.', strict: false, robust: false, problems: ['No <response> tag found'] },
  { what: 'nothing', text: '', strict: false, robust: false, problems: ['No <response> tag found'] },
  { what: 'an empty response', text: '<response> </response>', strict: false, robust: false, problems: ['No <response> tag found'] },
  {
    what: 'sections without a response tag',
    text: `${head}<commands>${keys}</commands>`,
    strict: false,
    robust: true,
    strictKeystrokes: [],
    keystrokes: ['ls\n'],
    problems: [fixed('Added the missing <response> tag')],
  },
  {
    what: 'a response tag that is not closed',
    text: whole.replace('</response>', ''),
    strict: true,
    robust: true,
    keystrokes: ['ls\n'],
    problems: [],
  },
  {
    what: 'text around the response',
    text: `Sure.\n${whole}\nDone.`,
    strict: true,
    robust: true,
    keystrokes: ['ls\n'],
    problems: ['Extra text detected before <response> tag', 'Extra text detected after </response> tag'],
  },
  {
    what: 'two responses: the first counts',
    text: `${whole}${whole.replace('ls', 'rm x')}`,
    strict: true,
    robust: true,
    keystrokes: ['ls\n'],
    problems: [
      'Extra text detected after </response> tag',
      'IMPORTANT: Only issue one <response> block at a time. You issued 2 and only the first was executed.',
    ],
  },
  {
    what: 'two blocks of commands: the first counts',
    text: `<response>${head}<commands>${keys}</commands><commands>${keys}</commands></response>`,
    strict: true,
    robust: true,
    keystrokes: ['ls\n'],
    problems: ['IMPORTANT: Only issue one <commands> block at a time. You issued 2 and only the first was executed.'],
  },
  {
    what: 'a section twice',
    text: whole.replace('<plan>', '<analysis>b</analysis><plan>'),
    strict: true,
    robust: true,
    problems: ['Multiple <analysis> sections found'],
  },
  {
    what: 'no analysis and no plan',
    text: `<response><commands>${keys}</commands></response>`,
    strict: true,
    robust: true,
    keystrokes: ['ls\n'],
    problems: ['Missing <analysis> section', 'Missing <plan> section'],
  },
  {
    what: 'no commands',
    text: `<response>${head}</response>`,
    strict: false,
    robust: false,
    problems: ['Missing <commands> section', 'Missing <commands> section'],
  },
  {
    what: 'no commands, finished',
    text: `<response>${head}<task_complete> TRUE </task_complete></response>`,
    strict: true,
    robust: true,
    keystrokes: [],
    complete: true,
    problems: ['Missing <commands> section'],
  },
  { what: 'empty commands', text: holding(''), strict: true, robust: true, keystrokes: [], problems: [EMPTY] },
  {
    what: 'commands that close themselves',
    text: `<response>${head}<commands /></response>`,
    strict: true,
    robust: true,
    problems: [EMPTY],
  },
  {
    what: 'empty commands, finished',
    text: holding('', '<task_complete>true</task_complete>'),
    strict: true,
    robust: true,
    complete: true,
    problems: [],
  },
  {
    what: 'finished is false, empty or another word',
    text: holding(keys, '<task_complete>yes</task_complete>'),
    strict: true,
    robust: true,
    complete: false,
  },
  {
    what: 'sections in another order',
    text: `<response><commands>${keys}</commands><plan>p</plan><analysis>a</analysis></response>`,
    strict: true,
    robust: true,
    problems: ['Sections appear in wrong order. Found: commands → plan → analysis, expected: analysis → plan → commands'],
  },
  {
    what: 'an unknown tag',
    text: whole.replace('<plan>', '<note x="1">n</note><plan>'),
    strict: true,
    robust: true,
    problems: ['Unknown tag found: <note>, expected analysis/plan/commands/task_complete'],
  },
  {
    what: 'no duration',
    text: holding('<keystrokes>a\n</keystrokes>'),
    strict: true,
    robust: true,
    durations: [1],
    problems: ['Command 1: Missing duration attribute, using default 1.0'],
  },
  {
    what: 'a duration without quotes',
    text: holding('<keystrokes duration=5>a\n</keystrokes>'),
    strict: true,
    robust: true,
    durations: [1],
    problems: [
      `Command 1: Attribute 'duration' value should be quoted: duration="5"`,
      'Command 1: Missing duration attribute, using default 1.0',
    ],
  },
  {
    what: 'a duration in single quotes',
    text: holding("<keystrokes duration='5'>a\n</keystrokes>"),
    strict: true,
    robust: true,
    durations: [5],
    problems: [`Command 1: Use double quotes for attribute 'duration': duration="5"`],
  },
  {
    what: 'an unknown attribute',
    text: holding('<keystrokes wait="2" duration="5">a\n</keystrokes>'),
    strict: true,
    robust: true,
    durations: [5],
    problems: [`Command 1: Unknown attribute 'wait' - known attributes are: duration`],
  },
  {
    what: 'a duration that is no number',
    text: holding('<keystrokes duration="5s">a\n</keystrokes>'),
    strict: true,
    robust: true,
    durations: [1],
    problems: ["Command 1: Invalid duration value '5s', using default 1.0"],
  },
  {
    what: "durations of Python's kind",
    text: holding(['-3', 'nan', 'inf', '1_0', '.5', ' 2 '].map((value) => `<keystrokes duration="${value}">\n</keystrokes>`).join('')),
    strict: true,
    robust: true,
    durations: [-3, 0, 60, 10, 0.5, 2],
    problems: [],
  },
  {
    what: 'a command that runs into the next',
    text: holding('<keystrokes duration="1">a</keystrokes><keystrokes duration="1">b</keystrokes>'),
    strict: true,
    robust: true,
    keystrokes: ['a', 'b'],
    problems: [
      'Command 1 should end with newline when followed by another command. Otherwise the two commands will be concatenated together on the same line.',
    ],
  },
  {
    what: 'entities: read as they are',
    text: holding('<keystrokes duration="1">a &lt; b &amp;&amp; c\n</keystrokes>'),
    strict: true,
    robust: true,
    keystrokes: ['a &lt; b &amp;&amp; c\n'],
    problems: [
      'Warning: &lt; is read verbatim and not converted to <. NEVER USE &lt;, unless you want these exact characters to appear directly in the output.',
      'Warning: &amp; is read verbatim and not converted to &. NEVER USE &amp;, unless you want these exact characters to appear directly in the output.',
    ],
  },
  {
    what: 'line breaks that are spelled out',
    text: holding('<keystrokes duration="1">a\\r\\n</keystrokes>'),
    strict: true,
    robust: true,
    problems: ['Warning: \\r\\n line endings are not necessary - use \\n instead for simpler output'],
  },
  {
    what: 'a closing commands tag in a file that is written',
    text: holding('<keystrokes duration="1">cat > f <<E\n</commands>\nE\n</keystrokes>'),
    strict: true,
    robust: true,
    strictKeystrokes: [],
    keystrokes: ['cat > f <<E\n</commands>\nE\n'],
  },
  {
    what: 'a closing response tag in a file that is written',
    text: holding('<keystrokes duration="1">echo "</response>"\n</keystrokes>'),
    strict: false,
    robust: true,
    strictKeystrokes: [],
    keystrokes: ['echo "</response>"\n'],
  },
  {
    what: 'a claim to be finished in a file that is written',
    text: holding('<keystrokes duration="1">echo "<task_complete>true</task_complete>"\n</keystrokes>'),
    strict: true,
    robust: true,
    complete: false,
  },
  {
    what: 'a draft in leaked thinking',
    text: `<think>${holding('<keystrokes duration="1">rm -r a\n</keystrokes>')} no</think>${whole}`,
    strict: true,
    robust: true,
    strictKeystrokes: ['rm -r a\n'],
    keystrokes: ['ls\n'],
  },
  {
    what: 'closing tags missing behind a whole command',
    text: `<response>${head}<commands>${keys}\n`,
    strict: false,
    robust: true,
    strictKeystrokes: [],
    keystrokes: ['ls\n'],
    problems: [fixed('Added the missing </commands> tag at the end')],
  },
  {
    what: 'an answer cut inside a command',
    text: `<response>${head}<commands>${keys}<keystrokes duration="1">rm -rf /tm`,
    strict: false,
    robust: false,
  },
  { what: 'an answer cut inside a tag', text: `<response>${head}<commands>${keys}<keystrokes dur`, strict: false, robust: false },
];

describe('an answer in the Terminus-2 XML format', () => {
  it.each(conformance)('$what', ({ text, strict, robust, keystrokes, strictKeystrokes, durations, complete, problems }) => {
    const answer = parseXmlAnswer(text);
    expect(answer.format).toMatchObject({ strict, robust });
    const typed = (mode: 'strict' | 'robust') => parseXmlAnswer(text, mode).commands.map((command) => command.keystrokes);
    if (keystrokes) expect(typed('robust')).toEqual(keystrokes);
    const inStrict = strictKeystrokes ?? keystrokes;
    if (inStrict) expect(typed('strict')).toEqual(inStrict);
    if (durations) expect(answer.commands.map((command) => command.duration)).toEqual(durations);
    if (complete !== undefined) expect(answer.complete).toBe(complete);
    if (problems) expect(answer.format.problems).toEqual(problems);
    if (!robust) expect(answer.commands).toEqual([]);
  });

  it('is salvaged from a cut text only where all of it has arrived', () => {
    expect(completeResponse(`${whole}<response><analysis>and th`)).toBe(whole);
    expect(completeResponse(whole.slice(0, -3))).toBeNull();
    expect(completeResponse(whole.replace('<commands>', `<commands>${keys}</commands><commands>`))).toBeNull();
  });
});

const plain = fc.string().filter((text) => !text.includes('<') && !text.includes('>'));
const command = fc.record({ keystrokes: plain, duration: fc.integer() });
const written = (commands: { keystrokes: string; duration: number }[]) =>
  holding(commands.map(({ keystrokes, duration }) => `<keystrokes duration="${duration}">${keystrokes}</keystrokes>`).join('\n'));
const tags = ['response', 'analysis', 'plan', 'commands', 'keystrokes', 'task_complete', 'think'].flatMap((tag) => [
  `<${tag}>`,
  `</${tag}>`,
]);
const anyText = fc.oneof(
  fc.string(),
  fc
    .array(fc.oneof(fc.constantFrom(...tags, '<keystrokes duration="1">', '<commands/>', 'true', '=', "'", '<', '>', '\n'), fc.string()))
    .map((parts) => parts.join('')),
  fc.tuple(fc.array(command), fc.nat(), fc.constantFrom(...tags, '<', '')).map(([commands, at, noise]) => {
    const text = written(commands);
    return text.slice(0, at % (text.length + 1)) + noise + text.slice(at % (text.length + 1));
  }),
);

describe('whatever a model writes', () => {
  it('never makes the parser throw; nothing is executed of a refused answer, and nothing strict accepts is refused by robust', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const [strict, robust] = [parseXmlAnswer(text, 'strict'), parseXmlAnswer(text, 'robust')];
        for (const { error, commands } of [strict, robust]) if (error !== null) expect(commands).toEqual([]);
        if (strict.error === null) expect(robust.error).toBeNull();
      }),
      { numRuns: 3000 },
    );
  });

  it('is read as written, in both modes, where it is an answer', () => {
    fc.assert(
      fc.property(fc.array(command, { minLength: 1 }), (commands) => {
        expect(parseXmlAnswer(written(commands), 'strict')).toMatchObject({ commands, error: null });
        expect(parseXmlAnswer(written(commands), 'robust')).toMatchObject({ commands, error: null });
      }),
    );
  });

  it('never yields a command whose keystrokes the text does not hold in full, however it is cut', () => {
    fc.assert(
      fc.property(fc.array(command, { minLength: 1 }), fc.nat(), (commands, at) => {
        const text = written(commands);
        const cut = parseXmlAnswer(text.slice(0, at % (text.length + 1)));
        expect(cut.commands).toEqual(commands.slice(0, cut.commands.length));
      }),
      { numRuns: 2000 },
    );
  });

  const megabyte = 1_000_000;
  const fill = (unit: string) => unit.repeat(Math.ceil(megabyte / unit.length));
  const opening = '<response><commands>';
  it.each([
    ['opened brackets', fill('<')],
    ['opened responses', fill('<response>')],
    ['opened sections', opening + fill('<analysis>')],
    ['opened commands', opening + fill('<keystrokes>')],
    ['whole commands without an end', opening + fill('<keystrokes></keystrokes>')],
    ['half-open tags', opening + fill('<keystrokes a')],
    ['letters in a tag', `${opening}<keystrokes ${fill('a')}></keystrokes></commands>`],
    ['equals signs in a tag', `${opening}<keystrokes ${fill('a = ')}></keystrokes></commands>`],
    ['quotes in a tag', `${opening}<keystrokes ${fill("a='")}></keystrokes></commands>`],
    ['durations in a tag', `${opening}<keystrokes ${fill('duration=')}></keystrokes></commands>`],
    ['unknown tags', opening + fill('<x/>')],
    ['blanks', `${opening}<commands ${fill(' ')}`],
    ['thoughts', fill('</think><response>')],
  ])('takes time in proportion: a megabyte of %s is read at once', (_, text) => {
    // A search that is quadratic takes minutes. How fast it really is, bench/parse.ts says: this machine may be busy.
    const start = performance.now();
    parseXmlAnswer(text);
    expect(performance.now() - start).toBeLessThan(1000);
  });
});
