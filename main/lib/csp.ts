// What the page may load and who may embed it: the same headers from the app:// protocol and from the HTTP server.

/**
 * Everything comes from the page's own origin; `'self'` covers the WebSocket too. Inline styles are allowed because xterm.js positions
 * its cells with them. Scripts never are, so text from a model or a container cannot become code even where it became markup.
 */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** Headers of every answer that a page is made of. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy': contentSecurityPolicy,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
};
