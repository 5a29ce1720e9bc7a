// A CodeMirror editor over one file of the workspace. Keys go from the editor to the workspace; what changes a text from elsewhere (the form,
// the disk) comes back as the smallest replacement, so that the cursor stays where it is.
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { bracketMatching, indentOnInput } from '@codemirror/language';
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension, Text } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view';
import { useEffect, useLayoutEffect, useRef } from 'react';
import type { ConfigIssue } from '../../../../main/contract/schema/task.ts';
import { languageOf } from './languages.ts';
import { difference, type LineEnds, lineEndsOf, toEditor, toFile } from './line-ends.ts';
import { editorTheme } from './theme.ts';
import type { Doc } from './workspace.ts';

/** What every editor and both sides of a comparison have. */
export function ground(path: string, text: string, readOnly: boolean): Extension {
  return [
    lineNumbers(),
    highlightSpecialChars(),
    history(),
    drawSelection(),
    indentOnInput(),
    bracketMatching(),
    highlightActiveLine(),
    highlightSelectionMatches(),
    EditorState.lineSeparator.of('\n'),
    EditorView.clipboardInputFilter.of((pasted) => pasted.replace(/\r\n?/g, '\n')),
    keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap, indentWithTab]),
    languageOf(path, text),
    path.endsWith('.md') ? EditorView.lineWrapping : [],
    EditorState.readOnly.of(readOnly),
    editorTheme,
  ];
}

/** States of editors that were left, so that coming back finds cursor, scroll and undo. By file; they go with the component above. */
export type KeptStates = Map<string, { state: EditorState; ends: Ends }>;

/** How the file ends its lines now: a version from the disk may end them otherwise. */
interface Ends {
  now: LineEnds;
}

export function CodeEditor({
  doc,
  readOnly,
  issues,
  kept,
  onEdit,
}: {
  doc: Doc;
  readOnly: boolean;
  issues: readonly ConfigIssue[];
  kept: KeptStates;
  onEdit: (text: string) => void;
}) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const edit = useRef(onEdit);
  edit.current = onEdit;
  const latest = useRef(doc);
  latest.current = doc;
  const lineEnds = useRef<Ends>({ now: 'as-is' });
  const { path } = doc;

  useLayoutEffect(() => {
    if (!host.current) return;
    const { text } = latest.current;
    const before = readOnly ? undefined : kept.get(path);
    const ends = before?.ends ?? { now: lineEndsOf(text) };
    lineEnds.current = ends;
    const state =
      before?.state ??
      EditorState.create({
        doc: Text.of(toEditor(text, ends.now).split('\n')),
        extensions: [
          ground(path, text, readOnly),
          lintGutter(),
          EditorView.contentAttributes.of({ 'aria-label': path, spellcheck: 'false' }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) edit.current(toFile(update.state.doc.toString(), ends.now));
          }),
        ],
      });
    const opened = new EditorView({ state, parent: host.current });
    view.current = opened;
    takeOver(opened, text, ends);
    return () => {
      if (!readOnly) kept.set(path, { state: opened.state, ends });
      opened.destroy();
      view.current = null;
    };
  }, [path, readOnly, kept]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the revision says that the text came from elsewhere.
  useEffect(() => {
    if (view.current) takeOver(view.current, latest.current.text, lineEnds.current);
  }, [doc.revision, path]);

  useEffect(() => {
    const opened = view.current;
    if (opened) opened.dispatch(setDiagnostics(opened.state, diagnosticsOf(opened.state, issues)));
  }, [issues]);

  return <div ref={host} className="code-editor" data-testid="editor" />;
}

function takeOver(view: EditorView, text: string, ends: Ends): void {
  ends.now = lineEndsOf(text);
  const change = difference(view.state.doc.toString(), toEditor(text, ends.now));
  if (change) view.dispatch({ changes: { ...change, insert: Text.of(change.insert.split('\n')) } });
}

function diagnosticsOf(state: EditorState, issues: readonly ConfigIssue[]): Diagnostic[] {
  const severities = { error: 'error', warning: 'warning', note: 'info' } as const;
  return issues.map((issue) => {
    const line = state.doc.line(Math.min(issue.line ?? 1, state.doc.lines));
    const from = line.from + (/^\s*/.exec(line.text)?.[0].length ?? 0);
    return { from, to: Math.max(from, line.to), severity: severities[issue.level], message: issue.message };
  });
}
