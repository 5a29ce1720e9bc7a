// Dockerfiles with heredocs and other BuildKit words, as the classic builder gets them.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are variables of Dockerfiles
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseDockerfile } from './dockerfile.ts';
import { expandVariables } from './expand.ts';
import { type RewriteContext, rewriteDockerfile } from './heredoc.ts';
import { namedImages } from './stages.ts';

const plain: RewriteContext = { file: 'Dockerfile', buildArgs: {}, alias: (reference) => reference, baseOf: () => undefined };

const rewrite = (text: string, context: Partial<RewriteContext> = {}) =>
  rewriteDockerfile(parseDockerfile(text, 'Dockerfile'), { ...plain, ...context });

/** The command that the last RUN executes. */
function lastRun(dockerfile: string): string[] {
  const at = dockerfile.lastIndexOf('RUN ');
  return JSON.parse(
    dockerfile
      .slice(at)
      .replaceAll('\\\n', '')
      .replace(/^RUN (--\S+ )*/, ''),
  );
}

describe('RUN', () => {
  test('with nothing but a heredoc runs its text in the shell; quoting the name changes nothing', () => {
    for (const word of ['<<EOF', "<<'EOF'", '<<"EOF"']) {
      const { dockerfile } = rewrite(`FROM scratch\nRUN ${word}\necho "$HOME" 'a\\b'\nEOF\nUSER x\n`);
      expect(lastRun(dockerfile.replace('\nUSER x\n', ''))).toEqual(['/bin/sh', '-c', `echo "$HOME" 'a\\b'\n`]);
      expect(dockerfile).toMatch(/\nUSER x\n$/);
    }
  });

  test('with a command in front hands command and heredocs to the shell as they are', () => {
    const { dockerfile } = rewrite('FROM scratch\nRUN python3 - <<A >out && cat <<-\'B C\'\nprint("$x")\nA\n\tline\n\tB C\n');
    expect(lastRun(dockerfile)).toEqual(['/bin/sh', '-c', 'python3 - <<A >out && cat <<-\'B C\'\nprint("$x")\nA\n\tline\nB C']);
  });

  test('keeps heredocs that lie inside its heredoc', () => {
    const { dockerfile } = rewrite("FROM scratch\nRUN <<'OUTER'\ncat >f <<'EOF'\nx\nEOF\nOUTER\n");
    expect(lastRun(dockerfile)).toEqual(['/bin/sh', '-c', "cat >f <<'EOF'\nx\nEOF\n"]);
  });

  test('removes leading tabs for <<-', () => {
    const { dockerfile } = rewrite('FROM scratch\nRUN <<-EOF\n\t\techo a\n\t  echo b\n\tEOF\n');
    expect(lastRun(dockerfile)).toEqual(['/bin/sh', '-c', 'echo a\n  echo b\n']);
  });

  test.each(['<< EOF', "<<  'EOF'", '<<\tEOF'])('may have blanks in front of the name: %j', (word) => {
    const { dockerfile } = rewrite(`FROM scratch\nRUN cat >f ${word} && true\nx\nEOF\nRUN ${word}\necho x\nEOF\n`);
    const [, first = ''] = dockerfile.split('RUN ');
    expect(JSON.parse(first)).toEqual(['/bin/sh', '-c', `cat >f ${word} && true\nx\nEOF`]);
    expect(lastRun(dockerfile)).toEqual(['/bin/sh', '-c', 'echo x\n']);
  });

  test('uses the shell of SHELL, of the base image, and of the stage it is based on', () => {
    const bash = ['/bin/bash', '-euo', 'pipefail', '-c'];
    const heredoc = 'RUN <<EOF\nx\nEOF\n';
    expect(lastRun(rewrite(`FROM scratch\nSHELL ${JSON.stringify(bash)}\n${heredoc}`).dockerfile)).toEqual([...bash, 'x\n']);
    expect(lastRun(rewrite(`FROM scratch AS a\nSHELL ${JSON.stringify(bash)}\nFROM a\n${heredoc}`).dockerfile)).toEqual([...bash, 'x\n']);
    expect(lastRun(rewrite(`FROM ubi\n${heredoc}`, { baseOf: () => ({ env: [], shell: bash }) }).dockerfile)).toEqual([...bash, 'x\n']);
  });

  test('starts a script with an interpreter line as a program', () => {
    const command = lastRun(rewrite('FROM scratch\nRUN <<EOF\n#!/usr/bin/env python3\nprint(1)\nEOF\n').dockerfile);
    expect(command.slice(-2)).toEqual(['EOF', '#!/usr/bin/env python3\nprint(1)\n']);
  });

  test('that is longer than a line may be is written in several, with the same meaning', () => {
    const script = Array.from({ length: 9_000 }, (_, n) => `echo "line ${n}" # \\ \t`).join('\n');
    const { dockerfile } = rewrite(`FROM scratch\nRUN <<EOF\n${script}\nEOF\n`);
    expect(Math.max(...dockerfile.split('\n').map((line) => line.length))).toBeLessThan(20_000);
    expect(dockerfile.split('\n').filter((line) => line.startsWith('#'))).toEqual([]);
    expect(lastRun(dockerfile)).toEqual(['/bin/sh', '-c', `${script}\n`]);
  });

  test('without a heredoc is left alone, also where it only looks like one', () => {
    const text = [
      '# syntax=docker/dockerfile:1',
      'FROM scratch',
      'RUN cat<<EOF',
      'RUN echo "a <<EOF" && echo $((1<<4)) $((1 << 2)) \'b << EOF\' \\',
      '  && cat <<< EOF && cat <<<"EOF" && [ $((x << EOF )) ] \\',
      '  # a comment',
      '  && true',
      'RUN ["cat", "<<EOF"]',
      'CMD cat <<EOF',
      'RUN echo $((1 << 2))',
      'RUN cat << NEVER',
      '',
    ].join('\n');
    expect(rewrite(text).dockerfile).toBe(text);
  });

  test('loses mounts that only make a build faster', () => {
    const { dockerfile } = rewrite('FROM scratch\nRUN --mount=type=cache,target=/root/.cache --network=none pip install x\n');
    expect(dockerfile).toBe('FROM scratch\nRUN --network=none pip install x\n');
  });
});

describe('COPY and ADD', () => {
  test('copy heredocs from an image of their own, with variables replaced unless the name is quoted', () => {
    const { dockerfile, files, filesImage } = rewrite(
      [
        'FROM base',
        'ARG WHO=world',
        'ENV GREETING="hello $WHO"',
        'COPY --chown=1:1 --chmod=755 --link <<EOF <<"RAW" /dir/',
        '$GREETING ${NO:-none} \\$x "$BASE"',
        'EOF',
        '$GREETING',
        'RAW',
        '',
      ].join('\n'),
      { baseOf: () => ({ env: ['BASE=b'], shell: undefined }) },
    );
    expect(files).toEqual([
      { path: '/0/EOF', content: 'hello world none $x "b"\n', mode: 0o755 },
      { path: '/0/RAW', content: '$GREETING\n', mode: 0o755 },
    ]);
    expect(dockerfile).toContain(`\nCOPY --from=${filesImage} --chown=1:1 /0/EOF /0/RAW /dir/\n`);
  });

  test('copy files of the context beside heredocs', () => {
    const { dockerfile, filesImage } = rewrite('FROM scratch\nADD a.txt <<EOF b/ /dir/\nx\nEOF\nADD << Z /z\nz\nZ\n');
    expect(dockerfile).toBe(
      ['FROM scratch', 'ADD a.txt b/ /dir/', `COPY --from=${filesImage} /0/EOF /dir/`, `COPY --from=${filesImage} /1/Z /z`, ''].join('\n'),
    );
  });

  test('take build arguments over defaults', () => {
    const text = 'ARG V=1\nFROM base:$V\nARG V\nARG W=2\nCOPY <<EOF /x\n$V$W\nEOF\n';
    expect(rewrite(text).files[0]?.content).toBe('12\n');
    expect(rewrite(text, { buildArgs: { W: '9' } }).files[0]?.content).toBe('19\n');
  });
});

test('each instruction of the result knows its line in the original', () => {
  const { lines } = rewrite('# c\nFROM scratch\n\nRUN <<EOF\na\nEOF\nCOPY x <<B /d/\nb\nB\nRUN a \\\n  b\nUSER u\n');
  expect(lines).toEqual([2, 4, 7, 7, 10, 12]);
});

const pack = join(import.meta.dirname, '..', '..', '..', 'shared', 'data', 'endless_playground', 'harbor_tasks');

test.skipIf(!existsSync(pack))(
  'no line of a heredoc is taken for an instruction in 60 real tasks (skipped where ../shared/data is not there)',
  () => {
    const keywords = new Map<string, number>();
    for (const path of globSync('*/environment/Dockerfile', { cwd: pack })) {
      const { dockerfile } = rewrite(readFileSync(join(pack, path), 'utf8'));
      for (const { keyword, heredocs } of parseDockerfile(dockerfile, path).instructions) {
        keywords.set(keyword, (keywords.get(keyword) ?? 0) + 1);
        expect(heredocs).toEqual([]);
      }
    }
    expect([...keywords.keys()].toSorted()).toEqual(['CMD', 'ENTRYPOINT', 'ENV', 'FROM', 'RUN', 'USER', 'WORKDIR']);
    expect(keywords.get('FROM')).toBe(60);
  },
);

test('a heredoc without an end is an error with its line', () => {
  expect(() => rewrite('FROM scratch\n\nRUN <<EOF\nx\n EOF\n')).toThrow(
    expect.objectContaining({ code: 'image.build_failed', where: 'Dockerfile:3' }),
  );
});

test('images from outside are named with their line; stages and scratch are not', () => {
  const text =
    'ARG TAG=24.04\nFROM --platform=linux/amd64 ubuntu:$TAG AS build\nFROM scratch\nCOPY --from=build /a /a\nCOPY --from=busybox:1 /b /b\nFROM build\nCOPY --from=0 /a /a\n';
  expect(namedImages(parseDockerfile(text, 'Dockerfile'), {})).toEqual([
    { reference: 'ubuntu:24.04', line: 2 },
    { reference: 'busybox:1', line: 5 },
  ]);
});

test('aliases take the place of images in FROM and COPY --from', () => {
  const alias = (reference: string) => (reference === 'ubuntu:24.04' ? 'mirror.local/ubuntu:24.04' : reference);
  const { dockerfile } = rewrite('ARG V=24\nFROM --platform=linux/amd64 ubuntu:$V.04 AS one\nFROM one\nCOPY --from=ubuntu:24.04 a b\n', {
    alias,
  });
  expect(dockerfile).toBe(
    'ARG V=24\nFROM --platform=linux/amd64 mirror.local/ubuntu:24.04 AS one\nFROM one\nCOPY --from=mirror.local/ubuntu:24.04 a b\n',
  );
});

test.each([
  ['$a ${a} $missing|', 'A A |'],
  ['${missing:-b} ${empty:-c} ${empty-d} ${a:+e} ${missing+f}|', 'b c  e |'],
  ['${missing:-${a}x}', 'Ax'],
  ['\\$a $ 5$', '$a $ 5$'],
])('variables: %j becomes %j', (text, expected) => {
  const values = new Map([
    ['a', 'A'],
    ['empty', ''],
  ]);
  expect(expandVariables(text, values, true)).toBe(expected);
});
