// Fetches a task set with Git into a folder of its own. The address is typed by a person and may come from anywhere: only protocols that
// transfer data are allowed, nothing of the repository is run, and no password is asked for.
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ExecaError, execa } from 'execa';
import { AppError } from '../lib/errors.ts';
import { insideOrNull } from '../task/files.ts';
import { refuseTaken } from './files.ts';

const PROTOCOLS = ['https', 'http', 'ssh', 'git', 'file'];
/** What `git@host:path` stands for is ssh. */
const SCP_LIKE = /^[\w.-]+@[\w.-]+:(?!\/\/)\S+$/;
const REF = /^[A-Za-z0-9][\w./-]*$/;
const LONGEST_MS = 15 * 60 * 1000;

export interface Checkout {
  /** Where the tasks lie: the checkout, or the folder of it that was asked for. */
  folder: string;
  /** Commit that was fetched, 40 hex digits. */
  commit: string;
}

/**
 * Clones `url`, only its newest commit (of `ref`: a branch or tag), to a folder of `checkouts` named after both. Fails with
 * `request.invalid` for an address that Git may not be given or cannot fetch, and `request.conflict` where the folder exists already.
 */
export async function cloneTasks(
  checkouts: string,
  source: { url: string; ref?: string | undefined; folder?: string | undefined },
  signal?: AbortSignal,
): Promise<Checkout> {
  const { url, ref } = source;
  refuseAddress(url);
  if (ref !== undefined && !REF.test(ref)) throw new AppError('request.invalid', `${JSON.stringify(ref)} is no name of a branch or tag`);
  const target = join(checkouts, folderName(url, ref));
  await refuseTaken(target, target);
  await mkdir(checkouts, { recursive: true });
  const unfinished = `${target}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  try {
    const branch = ref === undefined ? [] : ['--branch', ref];
    const only = ['--depth', '1', '--single-branch', '--no-tags', '--no-recurse-submodules'];
    await git(['clone', '--quiet', ...only, ...branch, '--', url, unfinished], url, signal);
    const commit = await git(['-C', unfinished, 'rev-parse', 'HEAD'], url, signal);
    if (source.folder !== undefined && (await insideOrNull(unfinished, source.folder)) === null) {
      throw new AppError('request.invalid', `the repository has no folder ${source.folder}`, { hint: 'Leave it empty to take all of it.' });
    }
    await rename(unfinished, target);
    return { folder: join(target, source.folder ?? ''), commit };
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

async function git(args: string[], url: string, signal: AbortSignal | undefined): Promise<string> {
  try {
    const { stdout } = await execa('git', ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', ...args], {
      stdin: 'ignore',
      timeout: LONGEST_MS,
      ...(signal ? { cancelSignal: signal } : {}),
      env: {
        GIT_ALLOW_PROTOCOL: PROTOCOLS.join(':'),
        GIT_TERMINAL_PROMPT: '0',
        GIT_SSH_COMMAND: 'ssh -oBatchMode=yes',
        GIT_LFS_SKIP_SMUDGE: '1',
      },
    });
    return stdout.trim();
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof ExecaError)) throw error;
    if (error.code === 'ENOENT') throw new AppError('request.invalid', 'Git is not installed on this machine', { hint: 'Install git.' });
    const words =
      String(error.stderr ?? '')
        .trim()
        .split('\n')
        .at(-1) ?? '';
    throw new AppError('request.invalid', `Git could not fetch ${withoutSecrets(url)}: ${withoutSecrets(words)}`, {
      hint: 'Check the address, the name of the branch, and whether this machine may read it without a password.',
      retryable: true,
      cause: error,
    });
  }
}

function refuseAddress(url: string): void {
  const protocol = /^([a-z][a-z0-9+.-]*):\/\//i.exec(url)?.[1]?.toLowerCase();
  if (protocol === undefined ? SCP_LIKE.test(url) : PROTOCOLS.includes(protocol)) return;
  throw new AppError('request.invalid', `${JSON.stringify(withoutSecrets(url))} is no address that Git may fetch from`, {
    hint: 'Write https://host/owner/name, ssh://…, git@host:owner/name or file:///folder. A folder of this machine is imported as a folder.',
  });
}

/** `terminal-bench-2`, `terminal-bench-2@v1.0`: readable, and safe as the name of a folder. */
function folderName(url: string, ref: string | undefined): string {
  const last =
    url
      .replace(/\/+$/, '')
      .replace(/\.git$/, '')
      .split(/[/:]/)
      .at(-1) ?? '';
  const safe = (text: string) => text.replaceAll(/[^\w.-]/g, '-').replace(/^[.-]+/, '');
  return `${safe(last) || 'tasks'}${ref === undefined ? '' : `@${safe(ref)}`}`;
}

/** An address may hold a token; messages are shown and logged. */
function withoutSecrets(text: string): string {
  return text.replaceAll(/(\/\/)[^/@\s]*@/g, '$1…@');
}
