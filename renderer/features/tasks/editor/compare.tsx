// Two versions of one file side by side: what is on the disk, and what was typed, which can go on being edited.
import { MergeView } from '@codemirror/merge';
import { EditorState, Text } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { useLayoutEffect, useRef } from 'react';
import { ground } from './code-editor.tsx';
import { lineEndsOf, toEditor, toFile } from './line-ends.ts';

export function Compare({ path, theirs, mine, onEdit }: { path: string; theirs: string; mine: string; onEdit: (text: string) => void }) {
  const host = useRef<HTMLDivElement>(null);
  const edit = useRef(onEdit);
  edit.current = onEdit;
  const begun = useRef(mine);
  useLayoutEffect(() => {
    if (!host.current) return;
    const ends = lineEndsOf(begun.current);
    const side = (text: string) => Text.of(text.split('\n'));
    const merge = new MergeView({
      parent: host.current,
      a: {
        doc: side(toEditor(theirs, lineEndsOf(theirs))),
        extensions: [ground(path, theirs, true), EditorView.contentAttributes.of({ 'aria-label': `${path} on the disk` })],
      },
      b: {
        doc: side(toEditor(begun.current, ends)),
        extensions: [
          ground(path, begun.current, false),
          EditorState.tabSize.of(4),
          EditorView.contentAttributes.of({ 'aria-label': `${path} as typed` }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) edit.current(toFile(update.state.doc.toString(), ends));
          }),
        ],
      },
      revertControls: 'a-to-b',
      collapseUnchanged: { margin: 4, minSize: 8 },
      gutter: true,
    });
    return () => {
      begun.current = toFile(merge.b.state.doc.toString(), ends);
      merge.destroy();
    };
  }, [path, theirs]);
  return (
    <div className="compare">
      <div className="compare-head" aria-hidden>
        <span>On the disk</span>
        <span>As typed</span>
      </div>
      <div ref={host} className="compare-body" />
    </div>
  );
}
