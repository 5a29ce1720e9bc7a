// A spec's limits as the engine's host configuration. Pure.
import type Docker from 'dockerode';
import type { EngineInfo, Resources, SandboxSpec } from './sandbox.ts';

const mebibyte = 1024 * 1024;
/** Where a task sets none: enough for any build, few enough that a fork bomb does not take the machine along. */
const defaultPids = 4096;
/** What `locked` grants at most. */
const lockedMaximum = { cpus: 1, memoryMb: 512, pids: 64 };

/** The resources that a spec really gets. More cpus than the engine has would be refused, so they are cut to what there is. */
function effectiveResources(spec: SandboxSpec, engineCpus: number): Resources & { pids: number } {
  const asked = spec.resources;
  const capped =
    spec.profile === 'locked'
      ? {
          ...asked,
          cpus: Math.min(asked.cpus ?? lockedMaximum.cpus, lockedMaximum.cpus),
          memoryMb: Math.min(asked.memoryMb ?? lockedMaximum.memoryMb, lockedMaximum.memoryMb),
          pids: Math.min(asked.pids ?? lockedMaximum.pids, lockedMaximum.pids),
        }
      : asked;
  return { ...capped, ...(capped.cpus ? { cpus: Math.min(capped.cpus, engineCpus) } : {}), pids: capped.pids ?? defaultPids };
}

/** Host configuration of a sandbox: never privileged, no mounts, nothing of the host but the GPUs that were asked for. */
export function hostConfig(spec: SandboxSpec, engine: EngineInfo, networkMode: string): Docker.HostConfig {
  const { cpus, memoryMb, storageMb, pids, shmMb, gpus } = effectiveResources(spec, engine.cpus);
  return {
    NetworkMode: networkMode,
    PidsLimit: pids,
    // No core dumps; every other limit as the engine has it, which an engine with a low limit of its own could not raise.
    Ulimits: [{ Name: 'core', Soft: 0, Hard: 0 }],
    LogConfig: { Type: 'none', Config: {} },
    ...(cpus ? { NanoCpus: Math.round(cpus * 1e9) } : {}),
    // The same limit for memory and memory plus swap means no swap.
    ...(memoryMb ? { Memory: memoryMb * mebibyte, MemorySwap: memoryMb * mebibyte } : {}),
    ...(shmMb ? { ShmSize: shmMb * mebibyte } : {}),
    ...(storageMb && engine.storageQuota ? { StorageOpt: { size: `${storageMb}M` } } : {}),
    ...(gpus ? { DeviceRequests: [{ Driver: '', Count: gpus, Capabilities: [['gpu']] }] } : {}),
    ...(spec.profile === 'locked' ? { CapDrop: ['ALL'], SecurityOpt: ['no-new-privileges'] } : {}),
  };
}
