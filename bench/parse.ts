// How fast answers in the two Terminus-2 formats are read, and what a hostile one costs.
import { answerFormats } from '../main/agent/terminus/parsers.ts';

type Report = (line: { bench: string; metric: string; value: number; unit: string; bar: string }) => void;
type FormatName = keyof typeof answerFormats;

const ANSWERS = 40_000;
const HOSTILE_BYTES = 1_000_000;
const HOSTILE: Record<FormatName, string[]> = {
  json: ['{', '{"a":', '{"a}', '{"a":1,', '"', '\\', '{{}', '{</think>'],
  xml: [
    '<',
    '<response>',
    '<commands>',
    '<commands><keystrokes a',
    '<keystrokes>',
    '<keystrokes></keystrokes>',
    'duration=',
    "a='",
    '<x/>',
    ' ',
  ],
};
/** What a hostile XML answer begins with, so that its commands are looked into. */
const OPENING: Record<FormatName, string> = { json: '', xml: '<response><commands><keystrokes ' };

const analysis = (seed: number) =>
  `The listing shows ${seed} files and a Makefile whose second target fails. ${'The log names a missing header. '.repeat(12)}`;
const plan = 'Write the header, build again, and look at the result before going on.';
const commands = (seed: number) => [
  { keystrokes: `cat > include/table_${seed}.h <<'EOF'\n${'#define ENTRY(x) { #x, x }\n'.repeat(20)}EOF\n`, duration: 0.1 },
  { keystrokes: 'make -j2 2>&1 | tail -n 20\n', duration: 15 },
  { keystrokes: "awk '{print $1}' build/size.txt\n", duration: 0.5 },
];

/** Answers of ordinary size: two looks and one file written by a here-document, the JSON in a Markdown fence as many models do. */
const ordinary: Record<FormatName, (seed: number) => string> = {
  json: (seed) => {
    const answer = { analysis: analysis(seed), plan, commands: commands(seed), task_complete: false };
    return `\`\`\`json\n${JSON.stringify(answer, null, 2)}\n\`\`\``;
  },
  xml: (seed) => {
    const keys = commands(seed).map(({ keystrokes, duration }) => `<keystrokes duration="${duration}">${keystrokes}</keystrokes>\n`);
    return `<response>\n<analysis>${analysis(seed)}</analysis>\n<plan>${plan}</plan>\n<commands>\n${keys.join('')}</commands>\n</response>`;
  },
};

/** Reports ordinary answers per second and the slowest hostile megabyte of each format. Fails where an ordinary answer is refused. */
export function run(report: Report): void {
  for (const name of ['json', 'xml'] as const) {
    const { parse } = answerFormats[name];
    const texts = Array.from({ length: 100 }, (_, seed) => ordinary[name](seed));
    const start = performance.now();
    for (let index = 0; index < ANSWERS; index += 1) {
      const answer = parse(texts[index % texts.length] ?? '', 'robust');
      if (answer.commands.length !== 3) throw new Error(`an ordinary answer was refused: ${answer.error}`);
    }
    const rate = ANSWERS / ((performance.now() - start) / 1000);
    report({ bench: 'parse', metric: `ordinary answers, ${name}`, value: Math.round(rate), unit: '1/s', bar: '>= 20000' });

    const hostile = HOSTILE[name].map((unit) => OPENING[name] + unit.repeat(HOSTILE_BYTES / unit.length));
    const slowest = Math.max(...hostile.map((text) => quickestOf(5, () => parse(text, 'robust'))));
    report({ bench: 'parse', metric: `slowest hostile megabyte, ${name}`, value: Math.round(slowest * 10) / 10, unit: 'ms', bar: '<= 50' });
  }
}

function quickestOf(times: number, work: () => void): number {
  let quickest = Number.POSITIVE_INFINITY;
  for (let time = 0; time < times; time += 1) {
    const start = performance.now();
    work();
    quickest = Math.min(quickest, performance.now() - start);
  }
  return quickest;
}
