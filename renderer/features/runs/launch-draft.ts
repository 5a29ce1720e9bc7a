// The run that is being put together. Kept outside the form, so that leaving the page or reloading it loses nothing.

import type * as z from 'zod';
import { create } from 'zustand';
import { runConfig } from '../../../main/contract/schema/config.ts';

/** A run configuration as typed: it may still be wrong. */
export type Draft = z.input<typeof runConfig>;

const KEY = 'termarium.launch-draft';
const SOURCE_KEY = 'termarium.launch-source';
const blank: Draft = { tasks: [], agents: ['terminus'] };

interface Launch {
  draft: Draft;
  /** YAML text, while that is what is edited; null while the form is. The draft is what the text said when it was last right. */
  source: string | null;
}

export const useDraft = create<Launch>(() => ({ draft: read(), source: localStorage.getItem(SOURCE_KEY) }));

/** Edits the run as YAML, or with null in the form again. */
export function editSource(source: string | null): void {
  useDraft.setState({ source });
  try {
    if (source === null) localStorage.removeItem(SOURCE_KEY);
    else localStorage.setItem(SOURCE_KEY, source);
  } catch {
    // As with the draft.
  }
}

/** Changes some fields of the draft. */
export function editDraft(change: Partial<Draft>): void {
  keep({ ...useDraft.getState().draft, ...change });
}

/** Begins a new draft, from nothing or from what is given. */
export function newDraft(from: Partial<Draft> = {}): void {
  editSource(null);
  keep({ ...blank, ...from });
}

/** Takes over what the source says, now that it is right. */
export function takeDraft(draft: Draft): void {
  keep(draft);
}

function keep(draft: Draft): void {
  useDraft.setState({ draft });
  try {
    localStorage.setItem(KEY, JSON.stringify(draft));
  } catch {
    // Full or forbidden storage costs the draft on reload only.
  }
}

function read(): Draft {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? 'null');
    // What was typed may be invalid and is kept as typed; only its outline is checked.
    if (typeof kept === 'object' && kept !== null && 'tasks' in kept && Array.isArray(kept.tasks)) return { ...blank, ...kept } as Draft;
  } catch {
    // Unreadable: begin anew.
  }
  return blank;
}

/** What is wrong with a draft, by the path of the field: `limits.turns` → words. */
export function problemsOf(draft: Draft): Map<string, string> {
  const parsed = runConfig.safeParse(draft);
  return new Map(
    parsed.success
      ? []
      : parsed.error.issues.map((issue) => [issue.path.filter((part) => typeof part === 'string').join('.'), issue.message]),
  );
}
