// Which models there are, and that no secret gets into a file or out of one.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderOf } from '../task/test-folder.ts';
import { listModels, loadModel } from './models.ts';
import { resolvePaths } from './paths.ts';

const http = 'kind: http\nurl: http://127.0.0.1:8000/v1\nmodel: m\n';

test('the shipped models all load', async () => {
  const listed = await listModels(resolvePaths({ data: '/nonexistent' }));
  expect(listed.map(({ name, error }) => ({ name, error }))).toEqual(
    ['demo', 'llamacpp', 'openai', 'vllm'].map((name) => ({ name, error: null })),
  );
});

test("a user's own file replaces a shipped one, and a broken one is listed with its error", async () => {
  await using data = await folderOf({
    'configs/models/demo.yaml': `${http}name: mine\n`,
    'configs/models/broken.yaml': 'kind: http\nurl: http://x/v1\nmodle: m\n',
  });
  const paths = resolvePaths({ data: data.path });
  expect(await loadModel('demo', paths)).toMatchObject({ kind: 'http', name: 'mine' });
  const broken = (await listModels(paths)).find((model) => model.name === 'broken');
  expect(broken?.config).toBeNull();
  expect(broken?.error).toContain('modle: unknown key; did you mean "model"?');
});

test('a name that is not there gives the nearest one and where it was looked for', async () => {
  const paths = resolvePaths({ data: '/nonexistent' });
  await expect(loadModel('openia', paths)).rejects.toMatchObject({
    code: 'model.unknown',
    message: 'there is no model "openia"; did you mean "openai"?',
    hint: expect.stringContaining(join(paths.configs, 'models')),
  });
});

test('a path works as well as a name, and the file gives the name', async () => {
  await using folder = await folderOf({ 'my-model.yaml': http });
  expect(await loadModel(join(folder.path, 'my-model.yaml'), resolvePaths())).toMatchObject({ name: 'my-model', retries: 5 });
  await expect(loadModel(join(folder.path, 'none.yaml'), resolvePaths())).rejects.toMatchObject({ code: 'model.unknown' });
});

test('mistakes are told with their line', async () => {
  await using folder = await folderOf({ 'a.yaml': 'kind: htttp\nurl: x\n', 'b.yaml': `${http}api_key_env: KEY\n`, 'c.yaml': '' });
  const load = (name: string) => loadModel(join(folder.path, name), resolvePaths());
  await expect(load('a.yaml')).rejects.toMatchObject({
    message: 'kind: must be one of http, scripted, not "htttp"; did you mean "http"?',
    where: `${join(folder.path, 'a.yaml')}:1`,
  });
  await expect(load('b.yaml')).rejects.toMatchObject({
    message: 'api_key_env: unknown key; did you mean "apiKeyEnv"?',
    where: `${join(folder.path, 'b.yaml')}:4`,
  });
  await expect(load('c.yaml')).rejects.toMatchObject({ message: expect.stringContaining('kind: is missing; it is one of http, scripted') });
});

test.each([
  ['a key under its usual name', 'apiKey: anything-at-all'],
  ['another usual name', 'api_key: x'],
  ['a key where the name of a variable belongs', 'apiKeyEnv: sk-abcdef0123456789'],
  ['a key without a known prefix there', 'apiKeyEnv: q8ZrT1vB6nLw3XyP0sKd7FgHj2MaCeUo'],
  ['a header', 'headers: { Authorization: "Bearer abc" }'],
  ['a key inside the address', 'url: https://user:secretpass@host/v1'],
  ['a key in the query', 'url: https://host/v1?api_key=abc'],
])('%s is refused, and its text is not repeated', async (_, line) => {
  const secret = /[:=@]\s*"?([^\s:"}]+)[}"]*\s*$/.exec(line)?.[1] ?? '';
  await using folder = await folderOf({ 'm.yaml': `kind: http\nmodel: m\n${line}\n` });
  const error = await loadModel(join(folder.path, 'm.yaml'), resolvePaths()).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    code: 'config.invalid',
    where: `${join(folder.path, 'm.yaml')}:3`,
    hint: expect.stringContaining('environment variable'),
  });
  if (secret.length > 5) expect(JSON.stringify(error)).not.toContain(secret);
});
