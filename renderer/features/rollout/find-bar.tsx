// The bar above the turns: what to find, how often it is there, and on to the next.
import { useEffect, useRef } from 'react';
import { IconButton } from '../../ui/button.tsx';
import { count } from '../../ui/format.ts';
import { CaseIcon, CloseIcon, DownIcon, SearchIcon, UpIcon } from '../../ui/icons.ts';
import type { Find } from './use-find.ts';

const places = {
  content: 'message',
  reasoning: 'reasoning',
  before: 'answer',
  analysis: 'analysis',
  plan: 'plan',
  keys: 'keys',
  command: 'command',
} as const;

export function FindBar({ find, asked, onClose }: { find: Find; asked: number; onClose: () => void }) {
  const input = useRef<HTMLInputElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each wish to find brings the focus back here.
  useEffect(() => input.current?.select(), [asked]);
  return (
    <search className="find-bar" aria-label="Find in rollout">
      <SearchIcon size={14} aria-hidden />
      <input
        ref={input}
        className="input"
        aria-label="Find in rollout"
        placeholder="Find in commands, output, messages"
        value={find.text}
        maxLength={1000}
        spellCheck={false}
        onChange={(event) => find.search(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') find.go(event.shiftKey ? -1 : 1);
          else if (event.key === 'Escape') onClose();
          else return;
          event.preventDefault();
        }}
      />
      <span className="find-count figures" role="status">
        {wordsOf(find)}
      </span>
      <IconButton icon={CaseIcon} label="Match case" pressed={find.matchCase} onClick={() => find.setMatchCase(!find.matchCase)} />
      <IconButton icon={UpIcon} label="Previous hit" keys="Shift+F3" onClick={() => find.go(-1)} />
      <IconButton icon={DownIcon} label="Next hit" keys="F3" onClick={() => find.go(1)} />
      <IconButton icon={CloseIcon} label="Close find" keys="Escape" onClick={onClose} />
    </search>
  );
}

function wordsOf({ text, found, at, hit }: Find): string {
  if (found.problem !== null) return found.problem;
  if (text === '') return '';
  if (found.text !== text) return '…';
  if (!hit) return 'Nothing found';
  return `${count(at + 1)} of ${count(found.hits.length)}${found.more ? '+' : ''} · turn ${hit.turn + 1}, ${places[hit.place]}`;
}
