// Paints what was found where it stands, without a change to the document: the browser's custom highlights over text nodes.
import type { FindHit } from '../../../main/contract/schema/find.ts';
import { findPlace } from './openness.ts';

const ALL = 'find';
const CURRENT = 'find-current';

/** Paints every hit below `root` and answers where the current one stands; null where its text is not shown. */
export function paint(root: HTMLElement, pattern: RegExp, current: FindHit | null): Range | null {
  const all: Range[] = [];
  let at: Range | null = null;
  const place = current && findPlace(current.nodeId, current.place, current.index);
  for (const element of root.querySelectorAll<HTMLElement>('[data-find]')) {
    const ranges = rangesIn(element, pattern);
    all.push(...ranges);
    if (current && element.dataset.find === place) at = ranges[current.nth] ?? at;
  }
  // Text that is too far down in a long message stands in an excerpt of its own.
  const excerpt = root.querySelector('[data-find-excerpt] mark');
  if (excerpt) {
    at = new Range();
    at.selectNodeContents(excerpt);
  }
  CSS.highlights.set(ALL, new Highlight(...all));
  if (at) CSS.highlights.set(CURRENT, new Highlight(at));
  else CSS.highlights.delete(CURRENT);
  return at;
}

export function unpaint(): void {
  CSS.highlights.delete(ALL);
  CSS.highlights.delete(CURRENT);
}

function rangesIn(element: HTMLElement, pattern: RegExp): Range[] {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const nodes: { node: Node; from: number; to: number }[] = [];
  let text = '';
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const from = text.length;
    text += node.nodeValue ?? '';
    nodes.push({ node, from, to: text.length });
  }
  return [...text.matchAll(pattern)].flatMap((found) => {
    const end = found.index + found[0].length;
    const first = nodes.find(({ to }) => to > found.index);
    const last = nodes.find(({ to }) => to >= end);
    if (!first || !last) return [];
    const range = new Range();
    range.setStart(first.node, found.index - first.from);
    range.setEnd(last.node, end - last.from);
    return [range];
  });
}
