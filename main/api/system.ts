import { examine } from '../check/doctor.ts';
import { sandboxConfig } from '../contract/schema/config.ts';
import { ownerState } from '../sandbox/labels.ts';
import type { LabThing } from '../sandbox/sandbox.ts';
import type { ApiDeps } from './deps.ts';
import { os } from './os.ts';
import { PARK_MS } from './watch.ts';

export function systemApi({ lab, checks, status, paths, version, instance }: ApiDeps) {
  const provider = () => lab.sandboxes(sandboxConfig.parse({}));
  return os.system.router({
    hello: os.system.hello.handler(() => ({ version, instance, platform: process.platform })),
    watchStatus: os.system.watchStatus.handler(({ input, signal }) => status.read(input.after, PARK_MS, signalOf(signal))),
    doctor: os.system.doctor.handler(async () => ({ findings: await examine(paths, provider()) })),
    clean: os.system.clean.handler(async ({ input }) => {
      const found = input.remove
        ? (await Promise.all([provider(), checks].map((one) => one.reap({ images: input.images })))).flat()
        : [...(await provider().list()), ...(await checks.list()).filter(isLost)];
      return {
        found: found.map(({ kind, id, name, detail }) => ({ kind, id, name, detail })),
        removed: input.remove ? found.length : 0,
      };
    }),
  });
}

/** Of what checks have in Docker: what no check that still runs owns. */
const isLost = ({ labels }: LabThing) => labels.kind !== 'build' && ownerState(labels.owner ?? '') === 'dead';

/** oRPC leaves the signal out for callers that gave none. */
export function signalOf(signal: AbortSignal | undefined): AbortSignal {
  return signal ?? new AbortController().signal;
}
