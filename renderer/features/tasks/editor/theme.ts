// The editor's look, from the same tokens as everything else.
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const look = EditorView.theme({
  '&': { height: '100%', background: 'var(--surface)', color: 'var(--ink)', fontSize: 'var(--mono-size)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '1.55', fontVariantLigatures: 'none' },
  '.cm-content': { padding: '8px 0', caretColor: 'var(--accent)' },
  '.cm-line': { padding: '0 12px 0 6px' },
  '.cm-cursor, .cm-dropCursor': { borderLeft: '2px solid var(--accent)' },
  '.cm-gutters': { background: 'var(--surface)', color: 'var(--ink-faint)', border: '0' },
  '.cm-activeLine': { background: 'color-mix(in srgb, var(--hover) 55%, transparent)' },
  '.cm-activeLineGutter': { background: 'transparent', color: 'var(--ink)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': { background: 'var(--selected)' },
  '.cm-matchingBracket': { background: 'var(--selected)', outline: '1px solid var(--line-strong)' },
  '.cm-searchMatch': { background: 'var(--warn-soft)', outline: '1px solid var(--warn)' },
  '.cm-searchMatch-selected': { background: 'var(--accent-soft)', outline: '1px solid var(--accent)' },
  '.cm-specialChar': { color: 'var(--bad)' },
  '.cm-panels': { background: 'var(--ground)', color: 'var(--ink)' },
  '.cm-panels-top, .cm-panels-bottom': { border: '0', borderTop: '1px solid var(--line)' },
  '.cm-panel.cm-search': { fontFamily: 'var(--font-sans)', fontSize: 'var(--text-s)', padding: '6px 10px' },
  '.cm-panel.cm-search label': { fontSize: 'var(--text-s)' },
  '.cm-textfield': { background: 'var(--surface)', color: 'var(--ink)', border: '1px solid var(--line-strong)', borderRadius: '4px' },
  '.cm-button': { background: 'var(--raised)', color: 'var(--ink)', border: '1px solid var(--line-strong)', borderRadius: '4px' },
  '.cm-tooltip': { background: 'var(--raised)', color: 'var(--ink)', border: '1px solid var(--line)', borderRadius: '6px' },
  '.cm-diagnostic': { fontFamily: 'var(--font-sans)', fontSize: 'var(--text-s)', padding: '4px 10px' },
  '.cm-diagnostic-error': { borderLeft: '3px solid var(--bad)' },
  '.cm-diagnostic-warning': { borderLeft: '3px solid var(--warn)' },
  '.cm-diagnostic-info': { borderLeft: '3px solid var(--accent)' },
  '&.cm-merge-b .cm-changedLine, &.cm-merge-b .cm-inlineChangedLine': { background: 'var(--good-soft)' },
  '&.cm-merge-a .cm-changedLine, .cm-deletedChunk': { background: 'var(--bad-soft)' },
  '&.cm-merge-b .cm-changedText': { background: 'color-mix(in srgb, var(--good) 28%, transparent)' },
  '&.cm-merge-a .cm-changedText': { background: 'color-mix(in srgb, var(--bad) 28%, transparent)' },
  '.cm-collapsedLines': { background: 'var(--sunken)', color: 'var(--ink-soft)' },
});

const colours = HighlightStyle.define([
  { tag: [tags.comment, tags.meta], color: 'var(--ink-faint)', fontStyle: 'italic' },
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier, tags.controlKeyword], color: 'var(--term-magenta)' },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: 'var(--term-green)' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: 'var(--term-yellow)' },
  {
    tag: [tags.propertyName, tags.attributeName, tags.definition(tags.variableName), tags.function(tags.variableName)],
    color: 'var(--term-blue)',
  },
  { tag: [tags.typeName, tags.className, tags.standard(tags.name), tags.labelName], color: 'var(--term-cyan)' },
  { tag: tags.heading, fontWeight: '650' },
  { tag: tags.strong, fontWeight: '650' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: [tags.link, tags.url], color: 'var(--accent)' },
  { tag: tags.monospace, color: 'var(--term-cyan)' },
  { tag: tags.invalid, color: 'var(--bad)' },
]);

export const editorTheme = [look, syntaxHighlighting(colours)];
