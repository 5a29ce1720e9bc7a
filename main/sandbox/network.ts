// What a sandbox may reach. Each provider has one bridge of its own on which containers cannot see each other.
import { randomUUID } from 'node:crypto';
import type Docker from 'dockerode';
import { AppError } from '../lib/errors.ts';
import { engineFailure } from './failure.ts';
import { toLabels } from './labels.ts';
import type { SandboxSpec } from './sandbox.ts';

/** Gives the engine's network mode for a spec; makes the bridge when it is first needed. */
export class Networks {
  readonly #identity: { lab: string; owner: string };
  #bridge: Promise<Docker.Network> | undefined;

  constructor(identity: { lab: string; owner: string }) {
    this.#identity = identity;
  }

  /** Fails with `task.unsupported` for an allowlist: a list that is not enforced would be worse than none. */
  async modeFor(docker: Docker, spec: SandboxSpec): Promise<string> {
    if (spec.profile === 'locked') return 'none';
    switch (spec.network.mode) {
      case 'none':
        return 'none';
      case 'public':
        return (await this.#ensureBridge(docker)).id;
      case 'allowlist':
        if (spec.network.allowedHosts.length === 0) return 'none';
        throw new AppError('task.unsupported', 'a network allowlist cannot be enforced by this sandbox', {
          hint: 'Set the network to `none`, or to `public` if the task may reach everything, in the task or in the sandbox configuration.',
        });
      default:
        return spec.network.mode satisfies never;
    }
  }

  async close(): Promise<void> {
    const bridge = await this.#bridge?.catch(() => undefined);
    await bridge?.remove().catch(() => {});
  }

  #ensureBridge(docker: Docker): Promise<Docker.Network> {
    this.#bridge ??= docker
      .createNetwork({
        Name: `termarium-${this.#identity.lab}-${randomUUID().slice(0, 8)}`,
        Driver: 'bridge',
        Options: { 'com.docker.network.bridge.enable_icc': 'false' },
        Labels: toLabels({ ...this.#identity, kind: 'network' }),
      })
      .catch((error: unknown) => {
        this.#bridge = undefined;
        throw engineFailure('make a network', error);
      });
    return this.#bridge;
  }
}
