// The labels that every container, network, volume and image of a lab carries, and who owns them: so that nothing is ever lost track
// of, and nothing that a living process uses is ever taken away.
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

const prefix = 'termarium.';

/** `box` a running sandbox, `build` an image kept for its content hash, `snapshot` a filesystem at one moment, `network` the lab's bridge. */
export type Kind = 'box' | 'build' | 'snapshot' | 'network';

/** What `termarium check` starts belongs to no data folder, so that it works beside a lab that runs; every lab cleans up after a killed one. */
export const CHECK_LAB = 'check';

/** Label of the data folder that something belongs to, as a filter of the engine's list calls. */
export function labFilter(lab: string): { label: string[] } {
  return { label: [`${prefix}lab=${lab}`] };
}

/** Labels with their prefix. What says whose a thing is cannot be overwritten by values that come from outside. */
export function toLabels(
  { lab, owner, kind }: { lab: string; owner: string; kind: Kind },
  values: Record<string, string> = {},
): Record<string, string> {
  return Object.fromEntries(Object.entries({ ...values, lab, owner, kind }).map(([name, value]) => [prefix + name, value]));
}

/** Label values of this product without their prefix; foreign labels are left out. */
export function fromLabels(labels: Record<string, string> | null | undefined): Record<string, string> {
  return Object.fromEntries(
    Object.entries(labels ?? {})
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, value]) => [name.slice(prefix.length), value]),
  );
}

/**
 * This process as an owner label: `host/boot/pid/start`. The start time tells a process from a later one with the same pid, the boot id
 * from one of an earlier boot. Where the system has no /proc, both are empty and the pid alone has to do.
 */
export function currentOwner(): string {
  return [hostname(), bootId(), process.pid, startTime(process.pid) ?? ''].join('/');
}

/** Whether the process that an owner label names still runs. `unknown` on another host, where nobody can tell from here. */
export function ownerState(owner: string): 'alive' | 'dead' | 'unknown' {
  const [host, boot, pidText, start] = owner.split('/');
  const pid = Number(pidText);
  if (host !== hostname() || !Number.isSafeInteger(pid) || pid <= 0) return 'unknown';
  if (boot !== bootId()) return 'dead';
  if (start === '') return pidExists(pid) ? 'alive' : 'dead';
  return startTime(pid) === start ? 'alive' : 'dead';
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').slice(0, 8);
  } catch {
    return '';
  }
}

/** Field 22 of /proc/PID/stat, in clock ticks since boot. A zombie no longer owns anything. */
function startTime(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command name may hold spaces and brackets, so fields are counted after its last bracket.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}

function pidExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
