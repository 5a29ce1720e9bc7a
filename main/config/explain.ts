// Says in plain words what a schema found wrong: where, what, and the nearest thing that would have been right.
import * as z from 'zod';
import { nearest } from '../lib/nearest.ts';

/** A longer list of known keys says less than none. */
const LISTED = 10;

export interface Finding {
  /** `unknown_key`: a key that the schema does not have. `invalid`: a value that it does not take. */
  kind: 'unknown_key' | 'invalid';
  /** Path to the key at fault (for an unknown key, to that key itself). */
  path: (string | number)[];
  /** Without the path, e.g. `unknown key; did you mean "turns"?`. */
  message: string;
}

/** Turns the issues of one failed parse of `value` into findings, in the schema's order. */
export function explain(schema: z.ZodType, value: unknown, issues: readonly z.core.$ZodIssue[]): Finding[] {
  return issues.flatMap((issue): Finding[] => {
    const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part));
    const found = at(value, path);
    switch (issue.code) {
      case 'unrecognized_keys': {
        const known = keysAt(schema, value, path);
        return issue.keys.map((key) => ({ kind: 'unknown_key', path: [...path, key], message: unknownKey(key, known) }));
      }
      case 'invalid_value':
        return [{ kind: 'invalid', path, message: oneOf(found, issue.values.map(String)) }];
      case 'invalid_type':
        return [
          {
            kind: 'invalid',
            path,
            message: found === undefined ? 'is missing' : `must be ${expected[issue.expected] ?? issue.expected}, not ${describe(found)}`,
          },
        ];
      case 'invalid_union':
        if (issue.discriminator !== undefined) {
          // The path of such an issue ends in the discriminator itself.
          const choices = variants(nodeAt(schema, value, path.slice(0, -1)), issue.discriminator);
          return [{ kind: 'invalid', path, message: oneOf(found, choices) }];
        }
        return [{ kind: 'invalid', path, message: `has a value of a kind that does not belong here: ${describe(found)}` }];
      default:
        return [{ kind: 'invalid', path, message: `${issue.message} (it is ${describe(found)})` }];
    }
  });
}

/** A path as people write it: `limits.turns`, `steps[1].name`. */
export function dotted(path: readonly (string | number)[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    const name = /^[\w-]+$/.test(part) ? part : JSON.stringify(part);
    return text === '' ? name : `${text}.${name}`;
  }, '');
}

function unknownKey(key: string, known: string[]): string {
  const near = nearest(key, known);
  if (near !== null) return `unknown key; did you mean "${near}"?`;
  return known.length > 0 && known.length <= LISTED ? `unknown key; known here: ${known.join(', ')}` : 'unknown key';
}

function oneOf(found: unknown, choices: string[]): string {
  const list = choices.join(', ');
  if (found === undefined) return `is missing; it is one of ${list}`;
  const near = typeof found === 'string' ? nearest(found, choices) : null;
  return `must be one of ${list}, not ${describe(found)}${near === null ? '' : `; did you mean "${near}"?`}`;
}

/** Keys that an object at `path` may have. `value` decides between the variants of a union. */
function keysAt(schema: z.ZodType, value: unknown, path: readonly (string | number)[]): string[] {
  const node = nodeAt(schema, value, path);
  return node instanceof z.ZodObject ? Object.keys(node.shape) : [];
}

function nodeAt(schema: z.ZodType, value: unknown, path: readonly (string | number)[]): z.core.$ZodType | undefined {
  let node: z.core.$ZodType | undefined = bare(schema, value);
  let here = value;
  for (const part of path) {
    here = at(here, [part]);
    if (node instanceof z.ZodObject) node = node.shape[String(part)];
    else if (node instanceof z.ZodArray) node = node.element;
    else if (node instanceof z.ZodRecord) node = node.valueType;
    else return undefined;
    node = node && bare(node, here);
  }
  return node;
}

/** The schema under its wrappers; of a union, the object variant that `value` says it is. */
function bare(schema: z.core.$ZodType, value: unknown): z.core.$ZodType {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  ) {
    return bare(schema.unwrap(), value);
  }
  if (schema instanceof z.ZodDiscriminatedUnion) {
    const key = schema.def.discriminator;
    const chosen = schema.options.find((option) => isVariant(option, key, at(value, [key])));
    return chosen ?? schema;
  }
  if (schema instanceof z.ZodUnion) {
    const object = schema.options.map((option) => bare(option, value)).find((option) => option instanceof z.ZodObject);
    return typeof value === 'object' && object ? object : schema;
  }
  return schema;
}

function isVariant(option: z.core.$ZodType, key: string, value: unknown): boolean {
  const literal = option instanceof z.ZodObject ? option.shape[key] : undefined;
  return literal instanceof z.ZodLiteral && literal.values.has(value as z.core.util.Literal); // a Set answers false for any other type
}

function variants(union: z.core.$ZodType | undefined, key: string): string[] {
  if (!(union instanceof z.ZodDiscriminatedUnion)) return [];
  return union.options.flatMap((option) => {
    const literal = option instanceof z.ZodObject ? option.shape[key] : undefined;
    return literal instanceof z.ZodLiteral ? [...literal.values].map(String) : [];
  });
}

function at(value: unknown, path: readonly (string | number)[]): unknown {
  let here = value;
  for (const part of path) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, part)) return undefined;
    here = Reflect.get(here, part);
  }
  return here;
}

const expected: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a group of keys',
  record: 'a group of keys',
};

function describe(value: unknown): string {
  if (value === null) return 'empty';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a group of keys';
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
