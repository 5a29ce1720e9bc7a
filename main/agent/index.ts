// Every agent the lab can play, by the name that configurations use.
import type { AgentName } from '../contract/schema/config.ts';
import type { AgentSpec } from './agent.ts';
import { batch } from './batch.ts';
import { timed } from './clock.ts';
import { human } from './human.ts';
import { minimal } from './minimal.ts';
import { nop } from './nop.ts';
import { oracle } from './oracle.ts';
import { replay } from './replay.ts';
import { terminus } from './terminus/agent.ts';

export const agents: Record<AgentName, AgentSpec> = {
  terminus: {
    name: 'terminus',
    needsModel: true,
    describe: 'turns of keystrokes in the Terminus-2 protocol, JSON or XML',
    play: timed(terminus),
    bareShell: ({ mode }) => mode === 'strict',
  },
  minimal: { name: 'minimal', needsModel: true, describe: 'one shell command a turn, as in Endless Terminals', play: timed(minimal) },
  batch: { name: 'batch', needsModel: true, describe: 'one answer with all commands, as in single-turn GRPO', play: timed(batch) },
  human: { name: 'human', needsModel: false, describe: 'you, in the live terminal', play: timed(human) },
  oracle: {
    name: 'oracle',
    needsModel: false,
    describe: "the task's own solution: proves that the task can be solved",
    play: timed(oracle),
  },
  nop: { name: 'nop', needsModel: false, describe: 'does nothing: proves that the task is not solved already', play: timed(nop) },
  replay: { name: 'replay', needsModel: false, describe: 'plays a recorded trial back and says where it diverges', play: timed(replay) },
};
