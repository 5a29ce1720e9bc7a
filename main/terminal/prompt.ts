// Tells from marks and from what was typed whether the shell waits for input. No clock and no I/O in here: time is given.

/** What the output said, in its order. `accepted`: readline took a line. The rest are OSC 133 marks of our own shell. */
export type Mark =
  | { kind: 'prompt' }
  | { kind: 'accepted' }
  | { kind: 'started' }
  | { kind: 'ended'; exitCode: number | null }
  | { kind: 'unmarked' };

/** `idle`: nothing runs and nothing typed is waiting. `wait`: ask again after this long without output. `busy`: no telling. */
export type Idleness = { is: 'idle' } | { is: 'wait'; ms: number } | { is: 'busy' };

/**
 * How long a prompt must stay untouched where typed lines are left over that it may or may not still get. A shell takes a line that
 * waits for it at once; this allows for one that the CPU limit of its container holds back for a whole scheduling period.
 */
const QUIET_MS = 100;

/** How long after its mark the text of a prompt may take. It comes in the same write, so this is for a prompt without text. */
const PROMPT_TEXT_MS = 20;

/** Keys that stop what runs and make the kernel drop what was typed before them: nothing is waiting any more. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control keys are what this looks for
const DROPS_INPUT = /^[\x03\x1a\x1c]+$/;

/** Keys after which counting lines proves nothing: they end or drop input (C-c, C-d, C-z, C-\) or run the line otherwise (C-o). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control keys are what this looks for
const UNCOUNTABLE = /[\x03\x04\x0f\x1a\x1c]/;

export class Prompt {
  #at: 'unknown' | 'prompt' | 'running' = 'unknown';
  /** Lines typed that no prompt has taken yet. */
  #pending = 0;
  #countable = true;
  /** A prompt has come since the last keys, or since idleness was last reported. */
  #arrived = false;
  #textSeen = false;
  #commandOpen = false;
  /** A command has ended and no prompt has been drawn since: so it is where the prompt is empty. */
  #endedOnly = false;
  #exitCode: number | null = null;
  #marks = false;
  #unmarked = false;

  /** True once a mark has come. */
  get marks(): boolean {
    return this.#marks;
  }

  /** True where the shell has said that it will give no marks. */
  get unmarked(): boolean {
    return this.#unmarked;
  }

  /** True while the shell reads a line, and everything typed before has been taken. */
  get reading(): boolean {
    return this.#at === 'prompt' && this.#pending === 0;
  }

  /** True while a command runs that the shell has reported. */
  get running(): boolean {
    return this.#commandOpen;
  }

  /** Lines typed that no prompt has taken yet. */
  get pending(): number {
    return this.#pending;
  }

  /** Exit code of the last command that ended since keys were sent. */
  get exitCode(): number | null {
    return this.#exitCode;
  }

  sent(keys: string): void {
    const drops = DROPS_INPUT.test(keys);
    if (drops) this.#pending = 0;
    const uncountable = !drops && UNCOUNTABLE.test(keys);
    if (drops || uncountable || (this.#at === 'prompt' && this.#pending === 0)) this.#countable = !uncountable;
    for (const key of keys) if (key === '\r' || key === '\n') this.#pending += 1;
    this.#arrived = false;
    this.#exitCode = null;
  }

  saw(mark: Mark): void {
    this.#marks ||= mark.kind !== 'unmarked' && mark.kind !== 'accepted';
    switch (mark.kind) {
      case 'accepted':
        // Other programs switch bracketed paste off too; only at a prompt it means a line.
        if (this.#at !== 'prompt') return;
        this.#at = 'running';
        this.#pending = Math.max(0, this.#pending - 1);
        return;
      case 'started':
        this.#at = 'running';
        this.#commandOpen = true;
        this.#endedOnly = false;
        return;
      case 'ended':
        if (this.#commandOpen) this.#exitCode = mark.exitCode;
        this.#at = 'running';
        this.#commandOpen = false;
        this.#endedOnly = true;
        return;
      case 'prompt':
        // A redrawn prompt (Ctrl-L, a resize, a list of completions) is not a new one.
        if (this.#at === 'prompt') return;
        this.#at = 'prompt';
        this.#arrived = true;
        this.#textSeen = false;
        this.#endedOnly = false;
        // Something in a running command reads with the shell's own line editing (`read -e`), or PROMPT_COMMAND was replaced.
        if (this.#commandOpen) this.#countable = false;
        return;
      case 'unmarked':
        this.#unmarked = true;
        return;
    }
  }

  /** Something was printed after the prompt's mark: its text is there. */
  sawText(): void {
    this.#textSeen = true;
  }

  /** @param quietMs time since the last output or key */
  idleness(quietMs: number): Idleness {
    if (this.#at === 'prompt' && this.#arrived) {
      const needed = this.#pending === 0 && this.#countable ? (this.#textSeen ? 0 : PROMPT_TEXT_MS) : QUIET_MS;
      return quietMs >= needed ? { is: 'idle' } : { is: 'wait', ms: needed - quietMs };
    }
    if (this.#endedOnly) return quietMs >= QUIET_MS ? { is: 'idle' } : { is: 'wait', ms: QUIET_MS - quietMs };
    return { is: 'busy' };
  }

  /** Idleness has been reported: the next report needs a new prompt. */
  reported(): void {
    this.#arrived = false;
    this.#endedOnly = false;
    this.#pending = 0;
    this.#countable = true;
  }
}
