// The contract as one line per field, committed beside this test: a change of it shows in review as what a client will notice.
// After an intended change: npx vitest run --project unit main/transport/contract.test.ts -u
import { type AnyContractProcedure, isContractProcedure } from '@orpc/contract';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { contract } from '../contract/index.ts';

type JsonSchema = z.core.JSONSchema.JSONSchema;

/** Every procedure with its dotted name, in the order of the contract. */
function procedures(router: object, path: string[] = []): [string, AnyContractProcedure][] {
  return Object.entries(router).flatMap(([name, value]: [string, unknown]) => {
    if (isContractProcedure(value)) return [[[...path, name].join('.'), value] as [string, AnyContractProcedure]];
    return typeof value === 'object' && value !== null ? procedures(value, [...path, name]) : [];
  });
}

/** `path: type (limits)` of a schema and of everything in it. */
function linesOf(schema: JsonSchema, path: string): string[] {
  const { properties = {}, required = [], items, anyOf, oneOf, additionalProperties, description: _, $schema: __, ...rest } = schema;
  const { type, enum: values, const: only, ...more } = rest;
  // Every integer is a safe one; only a bound of its own is worth a word.
  const limits = Object.fromEntries(Object.entries(more).filter(([, limit]) => Math.abs(Number(limit)) !== Number.MAX_SAFE_INTEGER));
  const variants = [...(anyOf ?? []), ...(oneOf ?? [])];
  const kind =
    only !== undefined ? JSON.stringify(only) : values ? values.join(' | ') : (type ?? (variants.length > 0 ? 'one of' : 'anything'));
  const strict = path.startsWith('input') && additionalProperties === false ? ' strict' : '';
  const extra = Object.keys(limits).length > 0 ? ` ${JSON.stringify(limits)}` : '';
  return [
    `${path}: ${kind}${strict}${extra}`,
    ...Object.entries(properties).flatMap(([name, property]) => child(property, `${path}.${name}${required.includes(name) ? '' : '?'}`)),
    ...(items && !Array.isArray(items) ? child(items, `${path}[]`) : []),
    ...variants.flatMap((variant, index) => child(variant, `${path}|${index + 1}`)),
    ...(typeof additionalProperties === 'object' ? child(additionalProperties, `${path}{}`) : []),
  ];
}

function child(schema: JsonSchema | boolean, path: string): string[] {
  return typeof schema === 'boolean' ? [`${path}: ${schema ? 'anything' : 'nothing'}`] : linesOf(schema, path);
}

function describeSide(schema: unknown, io: 'input' | 'output'): string[] {
  if (!(schema instanceof z.ZodType)) return [`${io}: not checked`];
  return linesOf(z.toJSONSchema(schema, { io, unrepresentable: 'any' }), io);
}

test('the contract is what was last agreed', async () => {
  const text = procedures(contract)
    .map(([name, procedure]) => {
      const { inputSchema, outputSchema } = procedure['~orpc'];
      return [name, ...[...describeSide(inputSchema, 'input'), ...describeSide(outputSchema, 'output')].map((line) => `  ${line}`)].join(
        '\n',
      );
    })
    .join('\n\n');
  await expect(`${text}\n`).toMatchFileSnapshot('./contract.snapshot.txt');
});
