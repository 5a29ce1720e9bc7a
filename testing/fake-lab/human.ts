// A person's rollout in the fake lab: keys are echoed, a few commands answer, and handing in is graded as solved.
import { Tail } from '../../main/lib/tail.ts';
import { addNode, grade, newId, refreshRun } from './play.ts';
import { instructionOf, prompt } from './script.ts';
import { append, type FakeState } from './state.ts';

export type HumanDeed = { do: 'type'; data: string } | { do: 'submit' | 'give_up' | 'pause' | 'continue' | 'note'; text: string };

const answers: Record<string, string> = { pwd: '/app', ls: 'access.log  report.sh', whoami: 'root' };

/** Resolves when the person has handed in or given up. */
export function playHuman(state: FakeState, rolloutId: string, ended: AbortSignal): Promise<void> {
  const rollout = state.rollouts.get(rolloutId);
  if (!rollout) return Promise.resolve();
  const terminal = new Tail();
  state.playing.set(rolloutId, { terminal, cols: 160, rows: 40, sampling: { turn: 0, text: new Tail() } });
  state.rollouts.put({ ...rollout, status: 'running', startedAt: Date.now() });
  refreshRun(state, rollout.runId);
  addNode(state, rolloutId, { turn: 0, role: 'user', author: 'template', content: instructionOf(rollout.taskName) });
  append(terminal, prompt);
  let line = '';
  let turn = 0;
  const enter = () => {
    const output = line === '' ? '' : (answers[line] ?? `bash: ${line.split(' ')[0]}: command not found`);
    append(terminal, `\r\n${output === '' ? '' : `${output}\r\n`}${prompt}`);
    if (line !== '') {
      const id = newId('node');
      const at = Date.now();
      addNode(state, rolloutId, {
        id,
        turn,
        role: 'assistant',
        author: 'human',
        content: '',
        commands: [
          {
            nodeId: id,
            index: 0,
            keystrokes: `${line}\n`,
            duration: 0,
            startedAt: at,
            endedAt: at + 8,
            exitCode: answers[line] === undefined ? 127 : 0,
            settled: 'idle',
            from: 0,
            to: 0,
          },
        ],
      });
      addNode(state, rolloutId, { turn, role: 'user', author: 'environment', content: `${output}\n${prompt}` });
      turn += 1;
      const row = state.rollouts.get(rolloutId);
      if (row) state.rollouts.put({ ...row, turns: turn });
    }
    line = '';
  };
  return new Promise((resolve) => {
    const end = (outcome: 'solved' | 'gave_up') => {
      state.humans.delete(rolloutId);
      state.screens.set(rolloutId, `${prompt}exit`);
      terminal.close();
      state.playing.delete(rolloutId);
      const row = state.rollouts.get(rolloutId);
      if (row) grade(state, row, outcome, Date.now());
      refreshRun(state, rollout.runId);
      resolve();
    };
    ended.addEventListener('abort', () => resolve(), { once: true });
    state.humans.set(rolloutId, (deed) => {
      switch (deed.do) {
        case 'type':
          for (const key of deed.data) {
            if (key === '\r') enter();
            else if (key === '\u007f') {
              if (line !== '') append(terminal, '\b \b');
              line = line.slice(0, -1);
            } else {
              line += key;
              append(terminal, key);
            }
          }
          break;
        case 'submit':
          end('solved');
          break;
        case 'give_up':
          end('gave_up');
          break;
        case 'pause':
        case 'continue':
        case 'note': {
          const text =
            deed.do === 'note' ? deed.text : deed.do === 'pause' ? 'The human stopped the clock.' : 'The human started the clock again.';
          state.notes.set(rolloutId, [...(state.notes.get(rolloutId) ?? []), { kind: 'note', turn, text, at: Date.now() }]);
          const row = state.rollouts.get(rolloutId);
          if (row) state.rollouts.put({ ...row });
          break;
        }
      }
    });
  });
}
