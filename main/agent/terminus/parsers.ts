// The two formats of the Terminus-2 protocol, and what is said differently to a model that answers in one or the other.
import type { AgentSettings } from '../../contract/schema/config.ts';
import type { ProfileName } from '../profile.ts';
import type { ParsedAnswer, ParserMode } from './answer.ts';
import { parseAnswer } from './parse.ts';
import { completeResponse, parseXmlAnswer } from './xml.ts';

export interface AnswerFormat {
  parse: (text: string, mode: ParserMode) => ParsedAnswer;
  /** The built-in prompt that asks for it. */
  profile: ProfileName;
  /** What an answer that cannot be read should have been. */
  name: string;
  /** How a model says that the task is complete. */
  completeMark: string;
  /** The part of a cut answer that Terminus-2 executes all the same; null where it executes nothing. */
  salvage: (text: string) => string | null;
}

export const answerFormats: Record<AgentSettings['parser'], AnswerFormat> = {
  json: {
    parse: parseAnswer,
    profile: 'terminus-json',
    name: 'JSON response',
    completeMark: '"task_complete": true',
    salvage: () => null,
  },
  xml: {
    parse: parseXmlAnswer,
    profile: 'terminus-xml',
    name: 'response',
    completeMark: '<task_complete>true</task_complete>',
    salvage: completeResponse,
  },
};
