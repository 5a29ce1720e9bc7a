// Finds everything that carries a lab's label, and removes what no living process owns.
import type Docker from 'dockerode';
import { engineFailure } from './failure.ts';
import { fromLabels, labFilter, ownerState } from './labels.ts';
import type { LabThing } from './sandbox.ts';

/** Containers, networks, volumes and images of one lab, in the order in which they can be removed. */
export async function listThings(docker: Docker, lab: string): Promise<LabThing[]> {
  const filters = labFilter(lab);
  try {
    const [containers, networks, volumes, images] = await Promise.all([
      docker.listContainers({ all: true, filters }),
      docker.listNetworks({ filters }),
      docker.listVolumes({ filters }),
      docker.listImages({ filters }),
    ]);
    return [
      ...containers.map(
        (it): LabThing => ({
          kind: 'container',
          id: it.Id,
          name: it.Names[0]?.replace(/^\//, '') ?? it.Id.slice(0, 12),
          detail: `${it.Image}, ${it.Status}`,
          labels: fromLabels(it.Labels),
        }),
      ),
      ...networks.map((it): LabThing => ({ kind: 'network', id: it.Id, name: it.Name, detail: it.Driver, labels: fromLabels(it.Labels) })),
      ...(volumes.Volumes ?? []).map(
        (it): LabThing => ({ kind: 'volume', id: it.Name, name: it.Name, detail: it.Driver, labels: fromLabels(it.Labels) }),
      ),
      ...images.map(
        (it): LabThing => ({
          kind: 'image',
          id: it.Id,
          name: it.RepoTags?.find((tag) => tag !== '<none>:<none>') ?? it.Id.replace('sha256:', '').slice(0, 12),
          detail: `${Math.round(it.Size / 1e6)} MB`,
          labels: fromLabels(it.Labels),
        }),
      ),
    ];
  } catch (error) {
    throw engineFailure("list the lab's containers and images", error);
  }
}

/**
 * Whether a thing is left over. A living process keeps what it owns, except this one with `all`. What an unreachable host owns goes with
 * `all` only. A built image is nobody's leftover, but a cache, and goes with `images` only.
 */
export function isLeftover(thing: LabThing, owner: string, options: { all?: boolean; images?: boolean }): boolean {
  if (thing.labels.kind === 'build') return options.images === true;
  const by = thing.labels.owner ?? '';
  if (by === owner) return options.all === true;
  switch (ownerState(by)) {
    case 'alive':
      return false;
    case 'dead':
      return true;
    case 'unknown':
      return options.all === true;
  }
}

/** Removes things; answers those that are gone. One that cannot be removed (an image in use) is left and reported by its absence. */
export async function removeThings(docker: Docker, things: LabThing[]): Promise<LabThing[]> {
  const removed: LabThing[] = [];
  // One kind after the other: a network with a container in it, or an image with one made from it, cannot be removed.
  for (const kind of ['container', 'network', 'volume', 'image'] as const) {
    await Promise.all(
      things
        .filter((thing) => thing.kind === kind)
        .map(async (thing) => {
          try {
            await remove(docker, thing);
            removed.push(thing);
          } catch (error) {
            if (error instanceof Error && 'statusCode' in error) return;
            throw engineFailure(`remove ${thing.kind} ${thing.name}`, error);
          }
        }),
    );
  }
  return removed;
}

async function remove(docker: Docker, thing: LabThing): Promise<void> {
  switch (thing.kind) {
    case 'container':
      return docker.getContainer(thing.id).remove({ force: true, v: true });
    case 'network':
      return docker.getNetwork(thing.id).remove();
    case 'volume':
      return docker.getVolume(thing.id).remove();
    case 'image':
      await docker.getImage(thing.id).remove({ force: true });
  }
}
