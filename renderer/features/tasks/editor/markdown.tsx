// Markdown as React elements. The text is a stranger's: what looks like HTML stays text, links and images say where they lead and lead nowhere.
import { markdownLanguage } from '@codemirror/lang-markdown';
import type { SyntaxNode } from '@lezer/common';
import { Fragment, type ReactNode, useMemo } from 'react';
import { visible } from '../../../ui/format.ts';
import './markdown.css';

/** Deeper nesting is shown as plain text: nobody writes it, and each level costs stack. */
const DEEPEST = 30;

export function Markdown({ text }: { text: string }) {
  const content = useMemo(() => {
    const lines = text.replaceAll('\r\n', '\n');
    return blocks(markdownLanguage.parser.parse(lines).topNode, lines, 0);
  }, [text]);
  return <div className="markdown">{content}</div>;
}

function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const list: SyntaxNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) list.push(child);
  return list;
}

function blocks(node: SyntaxNode, text: string, depth: number): ReactNode {
  if (depth > DEEPEST) return visible(text.slice(node.from, node.to));
  return childrenOf(node).map((child) => <Fragment key={child.from}>{block(child, text, depth)}</Fragment>);
}

function block(node: SyntaxNode, text: string, depth: number): ReactNode {
  const heading = /^(?:ATX|Setext)Heading([1-6])$/.exec(node.name)?.[1];
  if (heading !== undefined) return <Heading level={Number(heading)}>{inline(node, text, depth)}</Heading>;
  switch (node.name) {
    case 'Paragraph':
      return <p>{inline(node, text, depth)}</p>;
    case 'BulletList':
      return <ul>{blocks(node, text, depth + 1)}</ul>;
    case 'OrderedList':
      return <ol start={Number.parseInt(text.slice(node.from, node.from + 9), 10) || 1}>{blocks(node, text, depth + 1)}</ol>;
    case 'ListItem':
      return <li>{blocks(node, text, depth + 1)}</li>;
    case 'Task':
      return <p>{inline(node, text, depth)}</p>;
    case 'Blockquote':
      return <blockquote>{blocks(node, text, depth + 1)}</blockquote>;
    case 'FencedCode':
    case 'CodeBlock': {
      const code = childrenOf(node).filter((child) => child.name === 'CodeText');
      return (
        <pre>
          <code>{visible(code.map((child) => text.slice(child.from, child.to)).join(node.name === 'CodeBlock' ? '\n' : ''))}</code>
        </pre>
      );
    }
    case 'HorizontalRule':
      return <hr />;
    case 'Table':
      return <Table node={node} text={text} depth={depth} />;
    case 'HTMLBlock':
    case 'CommentBlock':
    case 'ProcessingInstructionBlock':
      return <pre className="markdown-source">{visible(text.slice(node.from, node.to))}</pre>;
    case 'ListMark':
    case 'QuoteMark':
    case 'LinkReference':
      return null;
    default:
      return inline(node, text, depth);
  }
}

function Heading({ level, children }: { level: number; children: ReactNode }) {
  // The page has its own h1 and h2; a task's headings stand below them.
  const Tag = level <= 1 ? 'h3' : level === 2 ? 'h4' : level === 3 ? 'h5' : 'h6';
  return <Tag className={`markdown-h${level}`}>{children}</Tag>;
}

function Table({ node, text, depth }: { node: SyntaxNode; text: string; depth: number }) {
  const rows = childrenOf(node).filter((child) => child.name === 'TableHeader' || child.name === 'TableRow');
  const cells = (row: SyntaxNode) => childrenOf(row).filter((child) => child.name === 'TableCell');
  return (
    <table>
      <tbody>
        {rows.map((row) => (
          <tr key={row.from}>
            {cells(row).map((cell) =>
              row.name === 'TableHeader' ? (
                <th key={cell.from} scope="col">
                  {inline(cell, text, depth)}
                </th>
              ) : (
                <td key={cell.from}>{inline(cell, text, depth)}</td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const marks = new Set([
  'HeaderMark',
  'EmphasisMark',
  'CodeMark',
  'LinkMark',
  'URL',
  'LinkTitle',
  'StrikethroughMark',
  'QuoteMark',
  'LinkLabel',
]);

/** The text of a node, with what its children say of parts of it. */
function inline(node: SyntaxNode, text: string, depth: number): ReactNode {
  if (depth > DEEPEST) return visible(text.slice(node.from, node.to));
  const parts: ReactNode[] = [];
  let at = node.from;
  const say = (to: number) => {
    if (to > at) parts.push(visible(text.slice(at, to)));
  };
  for (const child of childrenOf(node)) {
    say(child.from);
    parts.push(<Fragment key={child.from}>{span(child, text, depth + 1)}</Fragment>);
    at = child.to;
  }
  say(node.to);
  return /^(?:ATX|Setext)Heading/.test(node.name) ? parts.map((part) => (typeof part === 'string' ? part.trim() : part)) : parts;
}

function span(node: SyntaxNode, text: string, depth: number): ReactNode {
  if (node.name === 'URL' && node.parent?.name !== 'Link' && node.parent?.name !== 'Image') return visible(text.slice(node.from, node.to));
  if (marks.has(node.name)) return null;
  switch (node.name) {
    case 'Emphasis':
      return <em>{inline(node, text, depth)}</em>;
    case 'StrongEmphasis':
      return <strong>{inline(node, text, depth)}</strong>;
    case 'Strikethrough':
      return <s>{inline(node, text, depth)}</s>;
    case 'InlineCode':
      return <code>{inline(node, text, depth)}</code>;
    case 'Link':
    case 'Image':
      return (
        <span className="markdown-link" title={target(node, text)}>
          {inline(node, text, depth)}
        </span>
      );
    case 'HardBreak':
      return <br />;
    case 'Escape':
      return visible(text.slice(node.from + 1, node.to));
    case 'TaskMarker':
      return /x/i.test(text.slice(node.from, node.to)) ? '☑ ' : '☐ ';
    default:
      return node.firstChild ? inline(node, text, depth) : visible(text.slice(node.from, node.to));
  }
}

function target(node: SyntaxNode, text: string): string | undefined {
  const url = node.getChild('URL');
  return url ? visible(text.slice(url.from, url.to)) : undefined;
}
