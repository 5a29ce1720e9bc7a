// What each error code means to the person at the screen. The lab's own message says what failed this time; this says what kind of thing it is.
import type { ErrorCode } from '../../main/contract/errors.ts';

/** `hint` is shown where the error itself brings none. */
export const errorCopy: Record<ErrorCode, { title: string; hint: string }> = {
  'config.invalid': { title: 'The configuration is not valid', hint: 'Correct the marked line and try again.' },
  'config.not_found': { title: 'A configuration file is missing', hint: 'Check the name, or create the file in configs/.' },
  'data.read_only': {
    title: 'The data folder cannot be written',
    hint: 'Free its permissions, or start the lab with another --data folder.',
  },
  'data.locked': { title: 'Another lab is using this data folder', hint: 'Use the lab that is running, or close it first.' },
  'data.newer': { title: 'The data was written by a newer Termarium', hint: 'Update Termarium; older versions would damage it.' },
  'data.corrupt': { title: 'Stored data cannot be read', hint: 'Restore the backup beside the database file.' },
  'task.invalid': { title: 'The task has a mistake', hint: 'Open the named file at the named line.' },
  'task.not_found': { title: 'There is no such task', hint: 'It may have been moved: import its folder again.' },
  'task.unsupported': { title: 'The task needs something that this lab does not have', hint: 'Its issues say what is not supported.' },
  'docker.unreachable': { title: 'Docker does not answer', hint: 'Start Docker, then try again. The Doctor page shows what was tried.' },
  'docker.failed': { title: 'Docker refused', hint: "The message is Docker's own. The Doctor page checks the usual causes." },
  'image.missing': { title: 'An image is missing', hint: 'Pull or build it, or map its name to a local one under sandbox.aliases.' },
  'image.build_failed': {
    title: 'The image could not be built',
    hint: "The end of the build log names the step. Check the task's Dockerfile.",
  },
  'sandbox.start_failed': { title: 'The container did not start', hint: 'Check the limits of the task against what this machine has.' },
  'sandbox.lost': { title: 'The container went away', hint: 'Something outside the lab stopped it. Resume the run to play it again.' },
  'model.unknown': { title: 'There is no such model', hint: 'Choose one of the Models page, or add a file to configs/models.' },
  'model.refused': {
    title: 'The model server does not accept connections',
    hint: 'Start the server and check its URL on the Models page.',
  },
  'model.unauthorized': {
    title: 'The model server wants another key',
    hint: 'Set the environment variable that the model file names, then restart.',
  },
  'model.rate_limited': { title: 'The model server asks to slow down', hint: "Lower the run's concurrency, or wait and resume." },
  'model.unavailable': {
    title: 'The model server failed',
    hint: 'Its log says why. The rollout is excluded, not scored; resume plays it again.',
  },
  'model.bad_answer': { title: 'The model server sent something unreadable', hint: 'Check that the URL ends before /chat/completions.' },
  'model.timeout': { title: 'The model server took too long', hint: 'Raise timeoutSeconds in the model file, or lower the concurrency.' },
  'model.rejected': { title: 'The model server rejected the request', hint: 'It names the parameter that it does not accept.' },
  'verifier.failed': { title: 'The verifier broke', hint: 'This is the task, not the agent: its output is on the Verdict tab.' },
  'server.port_taken': { title: 'The port is taken', hint: 'Choose another with --port, or stop the program that uses it.' },
  'server.unreachable': { title: 'The lab does not answer', hint: 'Look whether it still runs; the page connects again by itself.' },
  'server.unauthorized': { title: 'This browser is not signed in', hint: 'Ask the lab for a new link and open that.' },
  'request.invalid': { title: 'The request is not valid', hint: 'Correct the named value.' },
  'request.not_found': { title: 'It is not there any more', hint: 'It may have been removed in the meantime. Go back to the list.' },
  'request.conflict': { title: 'That cannot be done now', hint: 'The state changed in the meantime; look at it again.' },
  internal: { title: 'Something unexpected happened', hint: "This is a fault of Termarium. The lab's log has the details." },
};
