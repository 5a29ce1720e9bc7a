// What the backend asks of a log; a pino logger is one. Facts never hold prompts or keys.

export interface Log {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

/** A log that keeps nothing. */
export const silent: Log = { info: () => {}, warn: () => {}, error: () => {} };
