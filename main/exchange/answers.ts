// What the Terminus-2 parsers say of a recorded answer, as they do of one that was sampled here.
import type { ParserMode } from '../agent/terminus/answer.ts';
import { answerFormats } from '../agent/terminus/parsers.ts';
import type { NodeRow } from '../contract/schema/rollout.ts';
import type { ImportedCommand } from '../store/imports.ts';
import { type JsonObject, objectOf, textOf } from './json.ts';

export type RecordedFormat = keyof typeof answerFormats;

/** The format that the trial says its agent was asked for: by the trajectory, else by the configuration. Null where neither says. */
export function recordedFormat(trajectory: JsonObject, config: JsonObject): RecordedFormat | null {
  const kwargs = objectOf(objectOf(config.agent)?.kwargs);
  const name = textOf(objectOf(objectOf(trajectory.agent)?.extra)?.parser) ?? textOf(kwargs?.parser_name) ?? textOf(kwargs?.parser);
  return name === 'json' || name === 'xml' ? name : null;
}

export interface RecordedAnswer {
  format: NonNullable<NodeRow['format']>;
  complete: boolean;
  commands: Pick<ImportedCommand, 'keystrokes' | 'duration'>[];
}

/**
 * Reads an answer in the format that it was asked for; where nobody says which, in the one that it looks like. `strict`: the commands that
 * Terminus-2 executed, those of the whole part of a cut XML answer included.
 */
export function readAnswer(text: string, asked: RecordedFormat | null, mode: ParserMode = 'strict'): RecordedAnswer {
  const { parse, salvage } = answerFormats[asked ?? looksLike(text)];
  const { format, commands, complete } = parse(text, mode);
  const whole = format.strict || mode === 'robust' ? null : salvage(text);
  return { format, commands: whole === null ? commands : parse(whole, mode).commands, complete };
}

/**
 * The verdict on the message of a trajectory whose agent was asked for a format. Null where it was asked for none, and where the message
 * is only a rendering of the answer, which is what trajectories usually have.
 */
export function formatOfMessage(text: string, asked: RecordedFormat | null): NodeRow['format'] {
  if (asked === null || text === '' || /^(Analysis|Plan): /.test(text)) return null;
  return answerFormats[asked].parse(text, 'strict').format;
}

/** By what comes first at the start of a line, a tag of the one or the object of the other. */
function looksLike(text: string): RecordedFormat {
  const xml = text.search(/^[ \t]*<(response|analysis|plan|commands)[\s>/]/m);
  const json = text.search(/^[ \t]*(```(json)?\s*)?\{/m);
  return xml >= 0 && (json < 0 || xml < json) ? 'xml' : 'json';
}
