// An image's ENTRYPOINT is kept, as `docker run` keeps it, and gets the lab's sleeper as its command: images start their services there.
import type Docker from 'dockerode';
import { commandReached, type EntrypointState } from './processes.ts';

/** What is known of the entrypoints of images, so that neither a container nor time is lost on the same one again. */
export class Entrypoints {
  readonly #known = new Map<string, EntrypointState>();

  /** Whether to start a container of this image with its entrypoint. */
  keeps(image: Docker.ImageInspectInfo): boolean {
    // By the client's types never null, which it is for most images.
    const entrypoint: unknown = image.Config.Entrypoint;
    return Array.isArray(entrypoint) && entrypoint.length > 0 && this.#known.get(image.Id) !== 'ended';
  }

  /** Waits until the entrypoint of a started container runs its command; only once for an image that never does. */
  async reached(image: Docker.ImageInspectInfo, container: Docker.Container, signal?: AbortSignal): Promise<EntrypointState> {
    const state = await commandReached(container, this.#known.get(image.Id) === 'busy' ? 0 : undefined, signal);
    this.#known.set(image.Id, state);
    return state;
  }
}
