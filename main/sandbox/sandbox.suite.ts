// What every provider of sandboxes must do. Run against a Docker Engine (docker.docker.test.ts) and against memory (scripted.test.ts).
import { text } from 'node:stream/consumers';
import tar from 'tar-stream';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TtyConnection } from '../lib/connection.ts';
import type { Sandbox, SandboxProvider, SandboxSpec } from './sandbox.ts';

export interface SandboxHarness {
  provider: SandboxProvider;
  /** What `prepareImage` gets. Must have a shell, coreutils and seq. */
  reference: string;
  /** Ends the sandbox from outside, as an engine does that runs out of memory. */
  kill(box: Sandbox): Promise<void>;
}

/** Reads a TTY until what it printed matches; a TTY that ends first fails. */
export async function readUntil(tty: TtyConnection, pattern: RegExp): Promise<string> {
  let seen = '';
  tty.output.resume();
  for (;;) {
    const chunk: Buffer | null = await new Promise((resolve) => {
      const done = (value: Buffer | null) => {
        tty.output.off('data', done);
        tty.output.off('end', end);
        tty.output.pause();
        resolve(value);
      };
      const end = () => done(null);
      tty.output.on('data', done);
      tty.output.on('end', end);
      tty.output.resume();
    });
    if (chunk === null) throw new Error(`the terminal ended before it showed ${pattern}; it showed ${JSON.stringify(seen)}`);
    seen += chunk.toString('utf8');
    if (pattern.test(seen)) return seen;
  }
}

export function sandboxSuite(name: string, open: () => Promise<SandboxHarness>): void {
  describe(name, () => {
    let harness: SandboxHarness;
    let spec: SandboxSpec;
    let box: Sandbox;

    beforeAll(async () => {
      harness = await open();
      spec = {
        image: await harness.provider.prepareImage({ reference: harness.reference }, {}),
        resources: { memoryMb: 256, pids: 64 },
        network: { mode: 'none', allowedHosts: [] },
        profile: 'compatible',
        env: { COLOR: 'teal' },
        labels: { run: 'suite' },
      };
    });
    afterAll(async () => {
      await harness.provider[Symbol.asyncDispose]();
    });
    beforeEach(async () => {
      box = await harness.provider.start(spec);
      return async () => {
        await box[Symbol.asyncDispose]();
      };
    });

    describe('programs', () => {
      test('give their output, both streams apart, and their exit code', async () => {
        const result = await box.exec(['sh', '-c', 'echo out; echo err >&2; exit 3']);
        expect(result).toEqual({ exitCode: 3, stdout: 'out\n', stderr: 'err\n', timedOut: false, omittedBytes: 0 });
      });

      test('that do not exist are a result, not an error', async () => {
        const result = await box.exec(['no-such-program']);
        expect(result).toMatchObject({ exitCode: 127, stdout: '', stderr: expect.stringContaining('not found') });
      });

      test('read standard input to its end', async () => {
        expect(await box.exec(['cat'], { stdin: 'line 1\nline 2' })).toMatchObject({ exitCode: 0, stdout: 'line 1\nline 2' });
      });

      test('get the environment of the sandbox and of the call, and the working directory', async () => {
        const result = await box.exec(['sh', '-c', 'echo $COLOR $SHADE; pwd'], { env: { SHADE: 'dark' }, cwd: '/etc' });
        expect(result.stdout).toBe('teal dark\n/etc\n');
      });

      test('are killed when their time is over', async () => {
        const result = await box.exec(['sh', '-c', 'echo begun; sleep 1000 & sleep 1000'], { timeoutMs: 300 });
        expect(result).toMatchObject({ exitCode: 137, stdout: 'begun\n', timedOut: true });
      });

      test('are killed when the caller gives up, and the sandbox can be used on', async () => {
        const control = new AbortController();
        const running = box.exec(['sh', '-c', 'echo begun; sleep 1000 & sleep 1000'], {
          signal: control.signal,
          onOutput: () => control.abort(new DOMException('enough', 'AbortError')),
        });
        await expect(running).rejects.toThrow('enough');
        expect((await box.exec(['cat'], { stdin: 'still here' })).stdout).toBe('still here');
      });

      test('may print more than is kept: the first and the last part stay, and the callback sees all', async () => {
        let seen = 0;
        const result = await box.exec(['seq', '1', '100000'], {
          outputLimit: 200,
          onOutput: (chunk) => {
            seen += chunk.length;
          },
        });
        expect(seen).toBe(588_895);
        expect(result.omittedBytes).toBe(588_895 - 200);
        expect(result.stdout).toMatch(/^1\n2\n3\n.*\[\.\.\. 588695 bytes left out \.\.\.\].*\n100000\n$/s);
      });

      test('may print what is no UTF-8', async () => {
        expect((await box.exec(['printf', '\\377ok'])).stdout).toBe('\uFFFDok');
      });
    });

    describe('files', () => {
      test('go in and come out byte for byte', async () => {
        const bytes = Buffer.from([0, 255, 10, 13]);
        await box.upload('/data/in', [
          { path: 'plain.txt', content: 'grüße' },
          { path: 'deep/down/bytes', content: bytes },
          { path: 'empty', content: '' },
        ]);
        expect(await box.readFile('/data/in/plain.txt')).toEqual(Buffer.from('grüße'));
        expect(await box.readFile('/data/in/deep/down/bytes')).toEqual(bytes);
        expect(await box.readFile('/data/in/empty')).toEqual(Buffer.alloc(0));
      });

      test('of the same name are replaced, others stay', async () => {
        await box.upload('/data', [
          { path: 'a', content: '1' },
          { path: 'b', content: '2' },
        ]);
        await box.upload('/data', [{ path: 'a', content: '3' }]);
        expect([String(await box.readFile('/data/a')), String(await box.readFile('/data/b'))]).toEqual(['3', '2']);
      });

      test.each(['../x', '/etc/passwd', 'a/../../x', 'a\0b'])('may not leave their folder: %j', async (path) => {
        await expect(box.upload('/data', [{ path, content: 'x' }])).rejects.toMatchObject({ code: 'request.invalid' });
      });

      test('do not follow a link that was planted in place of their folder', async () => {
        await box.exec(['ln', '-s', '/etc', '/planted']);
        await box.upload('/planted', [{ path: 'evil', content: 'x' }]);
        expect(await box.readFile('/etc/evil')).toBeNull();
        expect(String(await box.readFile('/planted/evil'))).toBe('x');
      });

      test('do not follow links that were planted below their folder', async () => {
        await box.upload('/tests', [{ path: 'sub/test.sh', content: 'old' }]);
        await box.exec(['sh', '-c', 'rm -r /tests/sub; ln -s /etc /tests/sub; ln -s /etc/target /tests/file']);
        await box.upload('/tests', [
          { path: 'sub/evil', content: 'x' },
          { path: 'file', content: 'y' },
        ]);
        expect(await box.readFile('/etc/evil')).toBeNull();
        expect(await box.readFile('/etc/target')).toBeNull();
        expect(String(await box.readFile('/tests/file'))).toBe('y');
      });

      test('are read only if they are regular files', async () => {
        await box.upload('/data', [{ path: 'real', content: 'x' }]);
        await box.exec(['ln', '-s', '/data/real', '/data/link']);
        expect(await box.readFile('/data/link')).toBeNull();
        expect(await box.readFile('/data')).toBeNull();
        expect(await box.readFile('/no/such/file')).toBeNull();
      });

      test('that are too large are refused', async () => {
        await box.upload('/data', [{ path: 'large', content: Buffer.alloc(2_000) }]);
        await expect(box.readFile('/data/large', 1_000)).rejects.toMatchObject({ code: 'request.invalid' });
        expect((await box.readFile('/data/large', 2_000))?.length).toBe(2_000);
      });

      test('come out as an archive', async () => {
        await box.upload('/data', [{ path: 'a/b', content: 'x' }]);
        const files: Record<string, string> = {};
        const extract = tar.extract();
        (await box.download('/data')).pipe(extract);
        for await (const entry of extract) if (entry.header.type === 'file') files[entry.header.name] = await text(entry);
        expect(files).toEqual({ 'data/a/b': 'x' });
        await expect(box.download('/nothing')).rejects.toMatchObject({ code: 'request.not_found' });
      });

      test('that changed since the image are listed', async () => {
        await box.upload('/data', [{ path: 'a', content: 'x' }]);
        expect(await box.changes()).toContainEqual({ path: '/data/a', kind: 'A' });
      });
    });

    describe('a terminal', () => {
      test('echoes, runs what is typed, knows its size, and ends with the exit code of its program', async () => {
        await using tty = await box.openTty({ command: ['sh'], cols: 97, rows: 31 });
        await tty.write('stty size\n');
        expect(await readUntil(tty, /31 97\r\n/)).toContain('stty size\r\n');
        await tty.resize(120, 40);
        await tty.write('stty size\n');
        await readUntil(tty, /40 120\r\n/);
        await tty.write('exit 5\n');
        tty.output.resume();
        expect(await tty.exited).toBe(5);
      });

      test('cannot be written to after its end', async () => {
        await using tty = await box.openTty({ command: ['sh'], cols: 80, rows: 24 });
        await tty.write('exit\n');
        tty.output.resume();
        await tty.exited;
        await expect(tty.write('x')).rejects.toMatchObject({ code: 'sandbox.lost' });
      });
    });

    test('stopping processes ends the terminal, counts what ran, and finds nothing the second time', async () => {
      await using tty = await box.openTty({ command: ['sh'], cols: 80, rows: 24 });
      tty.output.resume();
      expect(await box.stopProcesses()).toBeGreaterThan(0);
      await tty.exited;
      expect(await box.stopProcesses()).toBe(0);
      expect(await box.alive()).toBe(true);
    });

    test('a snapshot starts as a sandbox with the same files, and is gone when it is let go', async () => {
      await box.upload('/data', [{ path: 'a', content: 'kept' }]);
      const snapshot = await box.snapshot({ rollout: 'r1' });
      const copy = await harness.provider.start({ ...spec, image: snapshot.image });
      await box.upload('/data', [{ path: 'a', content: 'changed later' }]);
      expect(String(await copy.readFile('/data/a'))).toBe('kept');
      const listed = (await harness.provider.list()).find((thing) => thing.id === snapshot.image);
      expect(listed).toMatchObject({ kind: 'image', labels: { run: 'suite', rollout: 'r1', kind: 'snapshot' } });
      await copy[Symbol.asyncDispose]();
      await snapshot[Symbol.asyncDispose]();
      await expect(harness.provider.start({ ...spec, image: snapshot.image })).rejects.toMatchObject({ code: 'image.missing' });
    });

    test('a sandbox that was killed from outside is lost, and says why', async () => {
      expect([await box.alive(), await box.whyEnded()]).toEqual([true, null]);
      await harness.kill(box);
      expect(await box.alive()).toBe(false);
      expect(await box.whyEnded()).toEqual(expect.any(String));
      await expect(box.exec(['cat'])).rejects.toMatchObject({ code: 'sandbox.lost' });
    });

    test('a sandbox that was removed is not there, which nothing in it can have done', async () => {
      await box[Symbol.asyncDispose]();
      expect(await box.alive()).toBe(false);
      await expect(box.whyEnded()).rejects.toMatchObject({ code: 'sandbox.lost' });
    });

    test('a sandbox is listed with its labels while it lives, and a living owner keeps it', async () => {
      const listed = async () => (await harness.provider.list()).find((thing) => thing.id === box.id);
      expect(await listed()).toMatchObject({ kind: 'container', labels: { run: 'suite', kind: 'box' } });
      await harness.provider.reap();
      expect(await box.alive()).toBe(true);
      await box[Symbol.asyncDispose]();
      expect(await listed()).toBeUndefined();
    });

    test('an allowlist of hosts is refused rather than pretended', async () => {
      const network = { mode: 'allowlist' as const, allowedHosts: ['pypi.org'] };
      await expect(harness.provider.start({ ...spec, network })).rejects.toMatchObject({ code: 'task.unsupported' });
    });

    test('nothing is started for a caller who has given up', async () => {
      await expect(harness.provider.start(spec, AbortSignal.abort())).rejects.toThrow('aborted');
    });
  });
}
