// The two manners of playing the Terminus-2 protocol: what differs between doing it well and doing it exactly as Terminus-2 does.
import type { Terminal } from '../../terminal/terminal.ts';
import type { Command } from '../agent.ts';
import type { playCommand } from '../command.ts';
import type { Answer, ParserMode } from './answer.ts';
import { cutComplaint, terminalText, turnAnswer, warned } from './feedback.ts';
import type { AnswerFormat } from './parsers.ts';
import { limited, strictCutComplaint, strictObserver, strictQuestion } from './strict.ts';

export interface Manner {
  parser: ParserMode;
  /** What the terminal shows now, under its heading and cut to size. */
  observe: () => Promise<string>;
  /** The next prompt after an executed turn. */
  turnAnswer: (answer: Answer, seen: string) => string;
  /** The next prompt after an answer that the token limit cut off. */
  cutComplaint: (maxTokens: number | undefined, warnings: string[]) => string;
  /** The part of a cut answer that is executed all the same. */
  salvage: (text: string) => string | null;
  /** How commands are sent and waited for. */
  playing: NonNullable<Parameters<typeof playCommand>[4]>;
  /** What an answer without commands waits for; null for nothing. */
  wait: Command | null;
  /** Instructions that would fill the context are cut. */
  fitsInstruction: boolean;
}

/** The lab's own: waits end early, all output is accounted for, the robust parser decides. */
export function fixedManner(terminal: Terminal, format: AnswerFormat, observationBytes: number): Manner {
  return {
    parser: 'robust',
    observe: async () => terminalText(await terminal.observe(observationBytes)),
    turnAnswer: (answer, seen) => turnAnswer(answer, seen, format),
    cutComplaint,
    salvage: () => null,
    playing: {},
    wait: { keystrokes: '', duration: 1 },
    fitsInstruction: true,
  };
}

/** Terminus-2 0.20, for numbers that are to be compared with its own. */
export function strictManner(terminal: Terminal, format: AnswerFormat): Manner {
  return {
    parser: 'strict',
    observe: strictObserver(terminal),
    turnAnswer: (answer, seen) => (answer.complete ? strictQuestion(seen, format) : warned(answer.warnings, limited(seen))),
    cutComplaint: strictCutComplaint,
    salvage: format.salvage,
    playing: { keyMode: 'strict', full: true },
    wait: null,
    fitsInstruction: false,
  };
}
