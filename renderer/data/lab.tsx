// What a screen can look at: one feed per thing that changes, made once per page and shared by everything that shows it.
import { createContext, type ReactNode, useContext } from 'react';
import type { StoreApi } from 'zustand';
import type { ErrorData } from '../../main/contract/errors.ts';
import type { NodeRow, RolloutRow } from '../../main/contract/schema/rollout.ts';
import type { RunRow } from '../../main/contract/schema/run.ts';
import type { TaskRow, TaskSetRow } from '../../main/contract/schema/task.ts';
import type { LabStatus } from '../../main/contract/system.ts';
import { type Connection, type LabClient, labError, watchLoop } from '../client/index.ts';
import { createFeed, type Feed } from './feed.ts';
import { type Rows, rowsFeed } from './rows.ts';

/** One thing that is watched by itself. */
interface One<Value> {
  value: Value | null;
  error: ErrorData | null;
}

export type RolloutDetail = Omit<Awaited<ReturnType<LabClient['rollouts']['watchOne']>>, 'cursor'>;

/** The answer being sampled now; `text` is empty between answers. */
interface Sampling {
  turn: number | null;
  text: string;
}

export interface Lab {
  connection: Connection;
  client: LabClient;
  status: Feed<One<LabStatus>>;
  runs: Feed<Rows<RunRow>>;
  taskSets: Feed<Rows<TaskSetRow>>;
  tasks: Feed<Rows<TaskRow>>;
  run(runId: string): Feed<One<RunRow>>;
  rollouts(runId: string): Feed<Rows<RolloutRow>>;
  rollout(rolloutId: string): Feed<One<RolloutDetail>>;
  nodes(rolloutId: string): Feed<Rows<NodeRow>>;
  sampling(rolloutId: string): Feed<Sampling>;
}

/** Builds the feeds over a connection. Nothing is read until something is looked at. */
export function createLab(connection: Connection): Lab {
  const { client } = connection;
  return {
    connection,
    client,
    status: oneFeed(async (after, options) => {
      const { status, cursor } = await client.system.watchStatus({ after }, options);
      return { value: status, cursor };
    }),
    runs: rowsFeed((input, options) => client.runs.watch(input, options), { order: byTime }),
    taskSets: rowsFeed((input, options) => client.tasks.watchSets(input, options)),
    tasks: rowsFeed((input, options) => client.tasks.watch(input, options)),
    run: keyed((runId, onIdle) =>
      oneFeed(async (after, options) => {
        const { run, cursor } = await client.runs.watchOne({ runId, after }, options);
        return { value: run, cursor };
      }, onIdle),
    ),
    rollouts: keyed((runId, onIdle) =>
      rowsFeed((input, options) => client.rollouts.watch({ ...input, runId }, options), { order: byQueue, onIdle }),
    ),
    rollout: keyed((rolloutId, onIdle) =>
      oneFeed(async (after, options) => {
        const { cursor, ...value } = await client.rollouts.watchOne({ rolloutId, after }, options);
        return { value, cursor };
      }, onIdle),
    ),
    nodes: keyed((rolloutId, onIdle) =>
      rowsFeed((input, options) => client.rollouts.watchNodes({ ...input, rolloutId }, options), { order: byTime, onIdle }),
    ),
    sampling: keyed((rolloutId, onIdle) => samplingFeed(client, rolloutId, onIdle)),
  };
}

// Watches answer in the order of change; these are the orders in which things are read. Ids rise with time, which settles ties.
function byTime(one: { createdAt: number; id: string }, other: { createdAt: number; id: string }): number {
  return one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1);
}

function byQueue(one: RolloutRow, other: RolloutRow): number {
  return one.queuedAt - other.queuedAt || (one.id < other.id ? -1 : 1);
}

function oneFeed<Value>(
  read: (after: number | undefined, options: { signal: AbortSignal }) => Promise<{ value: Value; cursor: number }>,
  onIdle?: () => void,
): Feed<One<Value>> {
  return createFeed<One<Value>>(
    { value: null, error: null },
    (store, signal) => {
      let after: number | undefined;
      const step = async (inner: AbortSignal) => {
        const answer = await read(after, { signal: inner });
        after = answer.cursor;
        store.setState({ value: answer.value, error: null });
      };
      void watchLoop(step, signal, (error) => store.setState({ error: labError(error) }));
    },
    onIdle ? { onIdle } : {},
  );
}

function samplingFeed(client: LabClient, rolloutId: string, onIdle: () => void): Feed<Sampling> {
  const start = (store: StoreApi<Sampling>, signal: AbortSignal) => {
    let cursor = 0;
    const step = async (inner: AbortSignal) => {
      const answer = await client.rollouts.watchSampling({ rolloutId, cursor }, { signal: inner });
      const before = store.getState();
      cursor = answer.cursor;
      if (answer.turn !== before.turn) store.setState({ turn: answer.turn, text: answer.text });
      else if (answer.text !== '') store.setState({ text: before.text + answer.text });
      return answer.ended ? 'end' : answer;
    };
    void watchLoop(step, signal);
  };
  return createFeed<Sampling>({ turn: null, text: '' }, start, { onIdle });
}

/** One feed per key, forgotten when nobody has looked at it for a while. */
function keyed<State>(make: (key: string, onIdle: () => void) => Feed<State>): (key: string) => Feed<State> {
  const feeds = new Map<string, Feed<State>>();
  return (key) => {
    const known = feeds.get(key);
    if (known) return known;
    const feed = make(key, () => feeds.delete(key));
    feeds.set(key, feed);
    return feed;
  };
}

const LabContext = createContext<Lab | null>(null);

export function LabProvider({ lab, children }: { lab: Lab; children: ReactNode }) {
  return <LabContext value={lab}>{children}</LabContext>;
}

/** The lab that this page belongs to. */
export function useLab(): Lab {
  const lab = useContext(LabContext);
  if (!lab) throw new Error('There is no LabProvider above this component.');
  return lab;
}
