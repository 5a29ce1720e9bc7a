/** A text as one word of POSIX shell source, whatever it holds but NUL. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
