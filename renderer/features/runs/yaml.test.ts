import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { runConfig } from '../../../main/contract/schema/config.ts';
import { toYaml } from './yaml.ts';

it('writes a configuration as one would by hand', () => {
  expect(toYaml({ tasks: ['demo'], only: [], limits: { turns: 64, seconds: null }, name: 'no' })).toBe(
    'tasks:\n  - demo\nonly: []\nlimits:\n  turns: 64\n  seconds: null\nname: "no"\n',
  );
});

it('is read back by a YAML parser as the configuration that it was', () => {
  const config = runConfig.parse({ name: 'a: b # c', tasks: ['./x', '1.5', '- y'], sandbox: { aliases: { 'python:3.12': 'local/py' } } });
  expect(parse(toYaml(config))).toEqual(JSON.parse(JSON.stringify(config)));
});

it('survives any text', () => {
  void fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(parse(toYaml({ [`k${text}`]: text }))).toEqual({ [`k${text}`]: text });
    }),
  );
});
