// The few pages that the doors write themselves: plain text in the simplest markup, without script and without the bundle.

export interface PageOptions {
  hint?: string;
  /** A link below the text, to a path of the same origin. */
  link?: { to: string; text: string };
  /** A path of the same origin to go to at once. */
  refreshTo?: string;
}

/** A whole HTML page that says one thing. All text is escaped; line breaks are kept. */
export function textPage(title: string, text: string, options: PageOptions = {}): string {
  const refresh =
    options.refreshTo === undefined ? '' : `<meta http-equiv="refresh" content="0; url=${escaped(localPath(options.refreshTo))}">`;
  const hint = options.hint === undefined ? '' : `<p>${escaped(options.hint)}</p>`;
  const link = options.link ? `<p><a href="${escaped(localPath(options.link.to))}">${escaped(options.link.text)}</a></p>` : '';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title>
${refresh}
<style>
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif }
body { max-width: 34rem; margin: 20vh auto 0; padding: 0 1rem }
h1 { font-size: 1.25rem }
p { white-space: pre-line }
</style>
</head>
<body>
<h1>${escaped(title)}</h1>
<p>${escaped(text)}</p>
${hint}
${link}
</body>
</html>
`;
}

/** The path with one leading slash only: two would name another host. */
export function localPath(path: string): string {
  return path.replace(/^[/\\]*/, '/');
}

function escaped(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
