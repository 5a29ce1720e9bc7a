// The least that must be done for a rollout, in bare dockerode: what the lab's overhead is measured against.
import type { Duplex } from 'node:stream';
import Docker from 'dockerode';

export const docker = new Docker();

/** A bash in a container's exec TTY that reports its prompt, and nothing around it. */
export interface BareShell {
  /** Types a line and resolves when the next prompt is there. */
  type(line: string): Promise<void>;
  end(): void;
}

const PROMPT = '\u001b]133;A\u0007';

export async function createBare(image: string, user?: string): Promise<Docker.Container> {
  const container = await docker.createContainer({
    Image: image,
    Cmd: ['sleep', 'infinity'],
    ...(user === undefined ? {} : { User: user }),
    Labels: { 'termarium.bench': '1' },
    HostConfig: { NetworkMode: 'none', Init: true },
  });
  await container.start();
  return container;
}

export async function openBare(container: Docker.Container): Promise<BareShell> {
  const exec = await container.exec({
    Cmd: ['bash', '--norc', '-i'],
    Env: ["PROMPT_COMMAND=printf '\\e]133;A\\a'", 'TERM=xterm-256color'],
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    Tty: true,
  });
  const stream: Duplex = await exec.start({ hijack: true, stdin: true, Tty: true });
  let prompts = 0;
  let wake: () => void = () => {};
  stream.on('data', (chunk: Buffer) => {
    const seen = chunk.toString('latin1').split(PROMPT).length - 1;
    if (seen === 0) return;
    prompts += seen;
    wake();
  });
  const until = async (count: number) => {
    while (prompts < count) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  await until(1);
  return {
    async type(line) {
      const wanted = prompts + 1;
      stream.write(`${line}\r`);
      await until(wanted);
    },
    end: () => stream.destroy(),
  };
}

/** Runs a program without a TTY to its end. */
export async function runBare(container: Docker.Container, command: string[]): Promise<void> {
  const exec = await container.exec({ Cmd: command, AttachStdout: true, AttachStderr: true });
  const stream = await exec.start({ hijack: true, stdin: false });
  stream.resume();
  await new Promise((resolve) => stream.once('close', resolve));
}
