// A FAKE lab in memory, for working on the page and for testing it at sizes and in states that a real lab takes hours to reach. It speaks
// the real contract through the real browser door; what it says of tasks, agents and Docker is made up, and nothing is ever executed.
//
//   node testing/lab-server.ts --port 4173 --seed demo|empty|large --pace 1
import { parseArgs } from 'node:util';
import { silent } from '../main/lib/log.ts';
import { type HttpDoor, serveHttp } from '../main/transport/http.ts';
import { fakeRouter } from './fake-lab/router.ts';
import { plant, type Seed } from './fake-lab/seed.ts';
import { FakeState } from './fake-lab/state.ts';

export interface FakeLab {
  state: FakeState;
  door: HttpDoor;
  close(): Promise<void>;
}

export interface FakeLabOptions {
  seed: Seed;
  /** 0 takes a free one. */
  port?: number;
  /** Folder with the built page. */
  rendererFolder: string;
  /** 1 plays as a real lab would; 0.05 twenty times as fast. */
  pace?: number;
}

export async function startLabServer(options: FakeLabOptions): Promise<FakeLab> {
  const state = new FakeState();
  plant(state, options.seed);
  const ended = new AbortController();
  const router = fakeRouter(state, options.pace ?? 1, ended.signal);
  const door = await serveHttp({ router, log: silent, port: options.port ?? 0, rendererFolder: options.rendererFolder });
  return {
    state,
    door,
    async close() {
      ended.abort();
      await door.close();
    },
  };
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '4173' },
      seed: { type: 'string', default: 'demo' },
      pace: { type: 'string', default: '1' },
      renderer: { type: 'string', default: 'dist/renderer' },
    },
  });
  const seed = values.seed === 'empty' || values.seed === 'large' ? values.seed : 'demo';
  const lab = await startLabServer({ seed, port: Number(values.port), pace: Number(values.pace), rendererFolder: values.renderer });
  console.log(`A fake lab, nothing in it is real: ${lab.door.issueUrl()}`);
}
