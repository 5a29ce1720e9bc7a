// For tests: plays agents in a real shell of this machine, in a temporary folder, without a container.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agentSettings, limitsConfig } from '../contract/schema/config.ts';
import type { Completion, Model, SampleRequest } from '../model/model.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Task } from '../task/task.ts';
import { openLocalTty } from '../terminal/local.ts';
import { openTerminal } from '../terminal/session.ts';
import { shellCommand } from '../terminal/shell.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { Agent, AgentContext, AgentEnd, Step } from './agent.ts';

export interface Playground extends AsyncDisposable {
  /** The shell's working directory. */
  folder: string;
  terminal: Terminal;
  /** Everything an agent gets; a test replaces what it is about. */
  context: AgentContext;
}

/** Opens a shell in a new folder. `marks: false` gives a shell that tells nothing about its prompts. */
export async function openPlayground({ everyRow = false, ...options }: { marks?: boolean; everyRow?: boolean } = {}): Promise<Playground> {
  const folder = await mkdtemp(join(tmpdir(), 'termarium-agent-'));
  const { command, env, token } = shellCommand(options);
  const screen = { cols: 160, rows: 40 };
  const home = { HOME: folder, HISTFILE: '', PS1: '\\u@\\h:\\w$ ' };
  const connection = await openLocalTty({ command, env: { ...env, ...home }, cwd: folder, ...screen });
  const terminal = await openTerminal(connection, { ...screen, token, everyRow });
  await terminal.ready(5_000);
  return {
    folder,
    terminal,
    context: {
      task: taskNamed('test-task', 'Do the thing.'),
      attempt: 0,
      sandbox: hostSandbox(folder, terminal),
      terminal,
      model: null,
      sampling: {},
      limits: limitsConfig.parse({}),
      settings: agentSettings.parse({}),
      profiles: null,
      timeLeftMs: () => Number.POSITIVE_INFINITY,
      onDelta: () => undefined,
      onRestart: () => undefined,
      human: null,
      replay: null,
      signal: new AbortController().signal,
    },
    async [Symbol.asyncDispose]() {
      await terminal[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Plays an agent to its end and answers all its steps and how it ended. */
export async function playToEnd(agent: Agent, context: AgentContext): Promise<{ steps: Step[]; end: AgentEnd }> {
  const steps: Step[] = [];
  const playing = agent(context);
  for (;;) {
    const next = await playing.next();
    if (next.done) return { steps, end: next.value };
    steps.push(next.value);
  }
}

/** The steps of one kind. */
export function stepsAt<At extends Step['at']>(steps: Step[], at: At): Extract<Step, { at: At }>[] {
  return steps.filter((step): step is Extract<Step, { at: At }> => step.at === at);
}

/** A model that gives these answers in turn, and keeps what it was asked. A function is called with the request. */
export function answering(
  answers: (Partial<Completion> | ((request: SampleRequest, signal: AbortSignal) => Promise<Partial<Completion>>))[],
  contextLimit: number | null = null,
): Model & { asked: SampleRequest[] } {
  const asked: SampleRequest[] = [];
  return {
    name: 'answering',
    asked,
    contextLimit: async () => contextLimit,
    async sample(request, signal) {
      const answer = answers[asked.length];
      asked.push(request);
      if (answer === undefined) throw new Error(`the test has no answer for turn ${asked.length - 1}`);
      const given = typeof answer === 'function' ? await answer(request, signal) : answer;
      request.onDelta?.(given.text ?? '');
      return { ...EMPTY, ...given };
    },
    async [Symbol.asyncDispose]() {},
  };
}

const EMPTY: Completion = {
  text: '',
  reasoning: null,
  finish: 'stop',
  promptTokens: 10,
  completionTokens: 5,
  usageExact: true,
  tokenIds: null,
  promptTokenIds: null,
  tokens: null,
  logprobs: null,
  firstTokenMs: null,
  totalMs: 1,
  retries: [],
};

export function taskNamed(name: string, instruction: string): Task {
  return {
    name,
    folder: '/nowhere',
    format: 'harbor',
    schemaVersion: '1.4',
    digest: '0'.repeat(64),
    instruction,
    difficulty: null,
    category: null,
    tags: [],
    metadata: {},
    environment: {
      image: null,
      context: null,
      dockerfile: 'Dockerfile',
      compose: null,
      buildTimeoutSec: 600,
      cpus: null,
      memoryMb: null,
      storageMb: null,
      gpus: null,
      gpuTypes: [],
      env: {},
      workdir: null,
      network: { mode: 'none', allowedHosts: [] },
      healthcheck: null,
    },
    agent: { timeoutSec: null, user: null },
    verifier: { folder: null, script: 'test.sh', timeoutSec: 60, user: null, env: {}, mode: 'shared', parser: null, sameShell: false },
    solution: { kind: 'missing', reason: 'there is no solution folder' },
    initialTests: null,
    steps: [],
    multiStepReward: 'mean',
    issues: [],
    unsupported: null,
  };
}

/** Stands in for a container where only its being alive is asked for. Everything else belongs into a test with Docker. */
function hostSandbox(folder: string, terminal: Terminal): Sandbox {
  const refuse = (what: string) => async () => {
    throw new Error(`${what} needs a container`);
  };
  return {
    id: 'host',
    image: 'none',
    workdir: folder,
    exec: refuse('exec'),
    openTty: refuse('openTty'),
    upload: refuse('upload'),
    readFile: refuse('readFile'),
    download: refuse('download'),
    stopProcesses: refuse('stopProcesses'),
    freeze: refuse('freeze'),
    alive: async () => !terminal.exited,
    whyEnded: async () => null,
    snapshot: refuse('snapshot'),
    changes: refuse('changes'),
    async [Symbol.asyncDispose]() {},
  };
}
