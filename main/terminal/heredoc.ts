// Finds the bodies of here-documents in what is typed at a shell.

/**
 * Tells for each line whether it belongs to the body of a here-document (its closing line included) that an earlier line opens.
 * A guess by form, as good as is needed to type: `<<` in quotes or comments counts too.
 */
export function hereDocumentLines(lines: readonly string[]): boolean[] {
  const waiting: string[] = [];
  return lines.map((line) => {
    const [word] = waiting;
    if (word !== undefined) {
      if (line.replace(/^\t+/, '') === word) waiting.shift();
      return true;
    }
    for (const match of line.matchAll(/(?<!<)<<-?[ \t]*(?:'([^']+)'|"([^"]+)"|\\?([\w.]+))/g)) {
      const opened = match[1] ?? match[2] ?? match[3];
      if (opened !== undefined) waiting.push(opened);
    }
    return false;
  });
}
