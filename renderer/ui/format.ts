// Numbers and times as people read them. Pure; every duration is in milliseconds and every time in milliseconds since the epoch.

/** `840 ms`, `12.3 s`, `4:05`, `1:02:09`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  const seconds = Math.floor(ms / 1000);
  const two = (value: number) => String(value).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** A guess at a time to come, no finer than it can be meant: `34 s`, `6 min`, `2.5 h`. */
export function roughly(ms: number): string {
  if (ms < 60_000) return `${Math.max(1, Math.ceil(ms / 1000))} s`;
  if (ms < 5_400_000) return `${Math.ceil(ms / 60_000)} min`;
  return `${(ms / 3_600_000).toFixed(1)} h`;
}

/** A clock that is read while it runs: `0:07`, `12:40`, `1:02:09`. */
export function clock(ms: number): string {
  return ms < 60_000 ? `0:${String(Math.floor(ms / 1000)).padStart(2, '0')}` : duration(ms);
}

/** `just now`, `4 min ago`, `3 h ago`, then a date. */
export function ago(then: number, now: number): string {
  const seconds = Math.max(0, Math.floor((now - then) / 1000));
  if (seconds < 45) return 'just now';
  if (seconds < 3600) return `${Math.max(1, Math.round(seconds / 60))} min ago`;
  if (seconds < 86_400) return `${Math.round(seconds / 3600)} h ago`;
  const date = new Date(then);
  const sameYear = date.getFullYear() === new Date(now).getFullYear();
  return date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', ...(sameYear ? {} : { year: 'numeric' }) });
}

/** Full date and time, for tooltips and detail lists. */
export function moment(then: number): string {
  return new Date(then).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
}

/** `512 B`, `4.2 kB`, `1.3 GB` (powers of 1000). */
export function bytes(count: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = count;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** `1,234`, and from a million on `1.2 M`. */
export function count(value: number): string {
  if (value >= 1_000_000) return `${(value / 1_000_000).toFixed(1)} M`;
  return value.toLocaleString('en-US');
}

/** A share from 0 to 1 as `42.0 %`; `–` where there is none. */
export function percent(value: number | null, digits = 1): string {
  return value === null ? '–' : `${(value * 100).toFixed(digits)} %`;
}

/** A reward as short as it can be without hiding anything up to four places: `1`, `0.5`, `0.3333`. */
export function reward(value: number | null): string {
  return value === null ? '–' : String(Number(value.toFixed(4)));
}

/** `1 task`, `12 tasks`. */
export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** Control characters as their pictures, so that text from a terminal shows what it holds and does nothing. Newline and tab stay. */
export function visible(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about.
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, (character) =>
    character === '\u007f' ? '\u2421' : String.fromCharCode(0x2400 + character.charCodeAt(0)),
  );
}

/** Keystrokes on one line: the returns and control keys inside are shown, the last return is not worth a sign. */
export function keystrokes(keys: string): string {
  return visible(keys.replace(/[\r\n]$/, ''));
}
