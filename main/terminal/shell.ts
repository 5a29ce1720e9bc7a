// What to start in a TTY, and how its shell tells where prompts and commands begin and end without the user of it seeing anything.
//
// bash reads our start-up text from a pipe: nothing is written into the container and nothing is put into the environment. It reports
// with OSC 133: A before each prompt it reads at (also continuation prompts), C when a command starts, D with the exit code when it
// has ended. Where the marks live was chosen so that no one trips over them:
// - A is readline's mode string, not part of PS1 or PS2: prompts may be changed at will, and `echo "$PS1"` shows nothing;
// - C is PS0;
// - D is its own element of PROMPT_COMMAND, which `PROMPT_COMMAND=…` of a task does not touch (it sets element 0). It prints to the
//   TTY itself, so `exec >file` catches nothing, and drops its own trace, so `set -x` shows nothing.
import { randomBytes } from 'node:crypto';
import type { TtyRequest } from '../lib/connection.ts';
import { shellWord } from '../lib/shell-word.ts';

export interface ShellOptions {
  /** False: start the shell as it is and tell nothing (what Terminus-2 does). */
  marks?: boolean;
  /** Read the login files first, as `bash --login` does. Off by default: Debian's /etc/profile throws away the image's PATH. */
  login?: boolean;
}

/** The part of a `TtyRequest` that starts a shell, and the token that tells its marks from what programs print. */
export interface Shell {
  command: TtyRequest['command'];
  env: Record<string, string>;
  /** Give this to `openTerminal`; null where no marks will come. */
  token: string | null;
}

/** bash where there is one, else sh; decided in the container, in the same call that starts it. $1 is the start-up text. */
const CHOOSE = `if command -v bash >/dev/null 2>&1
then exec bash -c 'exec 9< <(printf %s "$1"); exec bash --rcfile /dev/fd/9 -i' bash "$1"
else printf '\\033]133;N;aid=%s\\007' "$2"; exec sh -i
fi`;

const CHOOSE_PLAIN = `if command -v bash >/dev/null 2>&1
then exec bash $1
else exec sh -i
fi`;

const LOGIN_FILES = `[ -r /etc/profile ] && . /etc/profile
if [ -r ~/.bash_profile ]; then . ~/.bash_profile
elif [ -r ~/.bash_login ]; then . ~/.bash_login
elif [ -r ~/.profile ]; then . ~/.profile
fi
`;

/**
 * bash before 5.1 has no PROMPT_COMMAND array: the report goes first there, and hands the exit code on to what follows it unless
 * `set -e` would take that for a failure. In the C locale readline would take each byte of a UTF-8 letter for a Meta key, so that is
 * turned off.
 */
function startup(token: string, login: boolean): string {
  const mark = (content: string) => `\\e]133;${content};aid=${token}\\a`;
  const report = (status: string) =>
    `builtin printf '${mark('D;%s')}' "${status}" >/dev/tty || :; [[ \${PS0-} == *'aid=${token}'* ]] || PS0=\${PS0-}'${mark('C')}'`;
  const modeString = shellWord(`"\\1${mark('A')}\\2"`).slice(1, -1);
  return `exec 9<&-
${login ? LOGIN_FILES : ''}[ -r ~/.bashrc ] && . ~/.bashrc
if (( BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 404 )); then
  builtin printf '${mark('N')}'
else
  for REPLY in 'input-meta on' 'output-meta on' 'convert-meta off' 'enable-bracketed-paste on' 'show-mode-in-prompt on' \
    'emacs-mode-string ${modeString}' 'vi-ins-mode-string ${modeString}' 'vi-cmd-mode-string ${modeString}'
  do builtin bind "set $REPLY" 2>/dev/null || :; done
  unset REPLY
  PS0=\${PS0-}'${mark('C')}'
  if (( BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 501 )); then
    PROMPT_COMMAND[100]=${shellWord(`{ ${report('$?')}; } 2>/dev/null`)}
  elif [ -z "\${PROMPT_COMMAND-}" ]; then
    PROMPT_COMMAND=${shellWord(`{ ${report('$?')}; } 2>/dev/null`)}
  else
    PROMPT_COMMAND=${shellWord(`{ termarium_status=$?; ${report('$termarium_status')}; [[ $- == *e* ]] || (exit $termarium_status); } 2>/dev/null\n`)}$PROMPT_COMMAND
  fi
fi
`;
}

/** Command and environment that start an interactive shell in a TTY; needs `sh` in the image, nothing else. */
export function shellCommand(options: ShellOptions = {}): Shell {
  const env = { TERM: 'xterm-256color' };
  const login = options.login ?? false;
  if (options.marks === false) return { command: ['sh', '-c', CHOOSE_PLAIN, 'sh', login ? '--login' : '-i'], env, token: null };
  const token = randomBytes(6).toString('hex');
  return { command: ['sh', '-c', CHOOSE, 'sh', startup(token, login), token], env, token };
}
