// GPUs of this machine, as nvidia-smi tells them.
import { execa } from 'execa';

export interface Gpu {
  name: string;
  memoryMb: number;
  usedMb: number;
  /** Percent. */
  utilization: number;
}

let absent = false;

/** Empty where there is no nvidia-smi or it does not answer within two seconds. */
export async function readGpus(): Promise<Gpu[]> {
  if (absent) return [];
  const result = await execa('nvidia-smi', ['--query-gpu=name,memory.total,memory.used,utilization.gpu', '--format=csv,noheader,nounits'], {
    timeout: 2000,
    reject: false,
  });
  if (result.exitCode === undefined && !result.timedOut) {
    absent = true;
    return [];
  }
  if (result.exitCode !== 0) return [];
  return result.stdout.split('\n').flatMap((line) => {
    const [name, total, used, utilization] = line.split(',').map((cell) => cell.trim());
    if (!name) return [];
    return [{ name, memoryMb: Number(total) || 0, usedMb: Number(used) || 0, utilization: Number(utilization) || 0 }];
  });
}
