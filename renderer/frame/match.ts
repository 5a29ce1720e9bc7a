// Finding by a few letters: how well a text fits what was typed. Own scorer, because the palette has to rank 50,000 names in a frame or
// two: the pass over all of them allocates nothing, and only the few that are shown are asked where they match.

/**
 * Every word typed must occur: whole, best at the start of a word; or, failing that, as the beginnings of its words in order (`gtr` for
 * Go to Runs). Higher is better, and a shorter text wins among equals; -1 where it does not fit. `lower` is the text in lower case.
 */
export function score(typed: readonly string[], lower: string): number {
  let sum = 0;
  for (const word of typed) {
    const at = findWhole(word, lower);
    if (at >= 0) sum += word.length * 3 + (at === 0 ? 8 : startsWord(lower, at) ? 6 : 0);
    else if (takeInitials(word, lower, null)) sum += word.length;
    else return -1;
  }
  return sum - lower.length * 0.01 + 10;
}

/** The places of the matched characters, for showing them. Empty where it does not fit. */
export function places(typed: readonly string[], lower: string): number[] {
  return typed.flatMap((word) => {
    const at = findWhole(word, lower);
    if (at >= 0) return Array.from({ length: word.length }, (_, offset) => at + offset);
    const found: number[] = [];
    return takeInitials(word, lower, found) ? found : [];
  });
}

export interface Found<Item> {
  item: Item;
  places: number[];
}

/** Finds in the same items again and again, as somebody types. */
export interface Finder<Item> {
  /** The best `limit` items, best first. With nothing typed: the first ones as they are. */
  find(query: string, limit: number): Found<Item>[];
}

/**
 * A finder over these items. What fits a longer query also fits its beginning, so each letter looks only at what the letters before it
 * left over.
 */
export function createFinder<Item extends { lower: string }>(items: readonly Item[]): Finder<Item> {
  /** What fitted each beginning of the last query, shortest first. */
  let narrowed: { query: string; fitting: readonly Item[] }[] = [];
  return {
    find(query, limit) {
      const wanted = query.toLowerCase().trimStart();
      const typed = wanted.split(' ').filter((word) => word !== '');
      if (typed.length === 0) return items.slice(0, limit).map((item) => ({ item, places: [] }));
      narrowed = narrowed.filter((before) => wanted.startsWith(before.query));
      const fitting: Item[] = [];
      const best = new Best<Item>(limit);
      for (const item of narrowed.at(-1)?.fitting ?? items) {
        const fits = score(typed, item.lower);
        if (fits < 0) continue;
        fitting.push(item);
        best.offer(item, fits);
      }
      if (narrowed.at(-1)?.query !== wanted) narrowed.push({ query: wanted, fitting });
      return best.items.map((item) => ({ item, places: places(typed, item.lower) }));
    },
  };
}

/** The best so many of a stream, in order; among equals the first. */
class Best<Item> {
  readonly items: Item[] = [];
  readonly #scores: number[] = [];
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  offer(item: Item, value: number): void {
    const scores = this.#scores;
    if (scores.length === this.#limit && value <= (scores.at(-1) ?? 0)) return;
    let place = scores.length;
    while (place > 0 && (scores[place - 1] ?? 0) < value) place -= 1;
    scores.splice(place, 0, value);
    this.items.splice(place, 0, item);
    if (scores.length <= this.#limit) return;
    scores.pop();
    this.items.pop();
  }
}

/** Whether a word starts here: at the beginning, or after anything that is no letter or digit. */
function startsWord(lower: string, at: number): boolean {
  if (at === 0) return true;
  const before = lower.charCodeAt(at - 1);
  return !((before >= 97 && before <= 122) || (before >= 48 && before <= 57) || before > 127);
}

/** Where the word occurs: the first place that starts a word, else the first at all, else -1. */
function findWhole(word: string, lower: string): number {
  const first = lower.indexOf(word);
  for (let at = first; at >= 0; at = lower.indexOf(word, at + 1)) if (startsWord(lower, at)) return at;
  return first;
}

function takeInitials(word: string, lower: string, found: number[] | null): boolean {
  let at = 0;
  for (let letter = 0; letter < word.length; letter += 1) {
    const code = word.charCodeAt(letter);
    if (letter === 0 || lower.charCodeAt(at) !== code) {
      at = nextStart(lower, word.charAt(letter), at);
      if (at < 0) return false;
    }
    found?.push(at);
    at += 1;
  }
  return true;
}

/** The next place from `at` on where a word starts with this letter; -1 where there is none. */
function nextStart(lower: string, letter: string, at: number): number {
  let next = lower.indexOf(letter, at);
  while (next >= 0 && !startsWord(lower, next)) next = lower.indexOf(letter, next + 1);
  return next;
}
