// All turns of a rollout, virtual: thousands of them open as fast as one. Follows a live rollout until its reader scrolls up.
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useActions } from '../../ui/actions.ts';
import { Button } from '../../ui/button.tsx';
import { DownIcon, FocusIcon, SearchIcon } from '../../ui/icons.ts';
import { FindBar } from './find-bar.tsx';
import { GotoTurn } from './goto-turn.tsx';
import { FocusProvider, HitProvider, type Openness, OpennessProvider } from './openness.ts';
import { RequestView } from './request-view.tsx';
import { TurnView } from './turn.tsx';
import type { Turn } from './turns.ts';
import { useFind } from './use-find.ts';
import { useHits } from './use-hits.ts';

/** Distance from the end, in pixels, that still counts as being there. */
const NEAR_END = 48;

interface TurnListProps {
  turns: readonly Turn[];
  rolloutId: string;
  live: boolean;
  /** Told which turn is current, and how to go to another. */
  onCursor: (cursor: number) => void;
  /** Told when the reader goes to a turn. */
  onRead: (index: number) => void;
  /** How to go to a turn; `quietly` where it is not the reader who does. */
  go: RefObject<((index: number, quietly?: boolean) => void) | null>;
  empty: ReactNode;
}

export function TurnList({ turns, rolloutId, live, onCursor, onRead, go, empty }: TurnListProps) {
  const scroller = useRef<HTMLElement>(null);
  const openness = useRef<Openness>(new Map());
  const [cursor, setCursor] = useState(0);
  const [following, setFollowing] = useState(live);
  const lastTop = useRef(0);
  const virtualizer = useVirtualizer({
    count: turns.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 260,
    overscan: 4,
    getItemKey: useCallback((index: number) => turns[index]?.key ?? index, [turns]),
  });

  const read = useRef(onRead);
  read.current = onRead;
  const moveTo = useCallback(
    (index: number, quietly = false) => {
      const bounded = Math.max(0, Math.min(turns.length - 1, index));
      setFollowing(false);
      setCursor(bounded);
      if (scroller.current?.querySelector('.turns-body[hidden]')) scroller.current.scrollTop = 0;
      else virtualizer.scrollToIndex(bounded, { align: 'start' });
      if (!quietly) read.current(bounded);
    },
    [turns.length, virtualizer],
  );
  useEffect(() => {
    go.current = moveTo;
  }, [go, moveTo]);
  useEffect(() => onCursor(cursor), [onCursor, cursor]);

  // A rollout that was opened while it waited is followed once it plays.
  useEffect(() => setFollowing(live), [live]);

  const total = virtualizer.getTotalSize();
  // Runs after every layout change on purpose: while following, the end is where we are, however it came to move.
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!following || !element || total === 0) return;
    element.scrollTop = element.scrollHeight;
    setCursor(Math.max(0, turns.length - 1));
  }, [following, total, turns.length]);

  const onScroll = () => {
    const element = scroller.current;
    if (!element) return;
    const atEnd = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END;
    if (live && atEnd) setFollowing(true);
    else if (element.scrollTop < lastTop.current - 2) setFollowing(false);
    lastTop.current = element.scrollTop;
  };
  const find = useFind(rolloutId, turns.length);
  const [asked, setAsked] = useState(0);
  useHits({
    find,
    turns,
    scroller,
    virtualizer,
    onReach: (index) => {
      setFollowing(false);
      setCursor(index);
      read.current(index);
    },
  });
  const [focused, setFocused] = useState(false);
  const [going, setGoing] = useState(false);
  const [request, setRequest] = useState<Turn | null>(null);
  const current = turns[cursor];
  const leaveFocus = () => {
    setFocused(false);
    // The list is laid out again first.
    requestAnimationFrame(() => moveTo(cursor, true));
  };
  useActions([
    {
      id: 'turn.focus',
      title: focused ? 'Show all turns' : 'Show only this turn, all of it',
      section: 'Turns',
      icon: FocusIcon,
      keys: focused ? ['f', 'Escape'] : ['f'],
      run: () => {
        setFollowing(false);
        if (focused) leaveFocus();
        else setFocused(true);
      },
    },
    { id: 'turn.go', title: 'Go to turn…', section: 'Turns', keys: ['Mod+g'], run: () => setGoing(true) },
    ...(current?.response?.author === 'sampled'
      ? [
          {
            id: 'turn.request',
            title: 'Show request and answer',
            section: 'Turns',
            keys: ['x'],
            words: 'raw prompt tokens logprobs',
            run: () => setRequest(current),
          },
        ]
      : []),
    {
      id: 'rollout.find',
      title: 'Find in this rollout',
      section: 'Rollout',
      icon: SearchIcon,
      keys: ['Mod+f'],
      words: 'search output commands text',
      run: () => {
        find.show();
        setAsked(asked + 1);
      },
    },
    ...(find.open
      ? [
          { id: 'find.next', title: 'Next hit', section: 'Rollout', keys: ['F3'], run: () => find.go(1) },
          { id: 'find.previous', title: 'Previous hit', section: 'Rollout', keys: ['Shift+F3'], run: () => find.go(-1) },
        ]
      : []),
    { id: 'turn.next', title: 'Next turn', section: 'Turns', keys: ['j'], hidden: true, run: () => moveTo(cursor + 1) },
    { id: 'turn.previous', title: 'Previous turn', section: 'Turns', keys: ['k'], hidden: true, run: () => moveTo(cursor - 1) },
    { id: 'turn.first', title: 'First turn', section: 'Turns', keys: ['g g'], run: () => moveTo(0) },
    {
      id: 'turn.last',
      title: live ? 'Follow the end' : 'Last turn',
      section: 'Turns',
      keys: ['Shift+G'],
      run: () => (live ? setFollowing(true) : moveTo(turns.length - 1)),
    },
  ]);

  if (turns.length === 0) return empty;
  return (
    <OpennessProvider value={openness.current}>
      <HitProvider value={find.hit}>
        <div className="turns-frame">
          {find.open && (
            <FindBar
              find={find}
              asked={asked}
              onClose={() => {
                find.close();
                scroller.current?.focus();
              }}
            />
          )}
          <section
            ref={scroller}
            className="turns"
            aria-label="Turns"
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
            tabIndex={0}
            onScroll={onScroll}
          >
            {focused && current && (
              <FocusProvider value>
                <TurnView key={current.key} turn={current} rolloutId={rolloutId} current onRequest={setRequest} />
              </FocusProvider>
            )}
            <div className="turns-body" style={{ height: total }} hidden={focused}>
              {virtualizer.getVirtualItems().map((item) => {
                const turn = turns[item.index];
                if (!turn) return null;
                return (
                  <div
                    key={item.key}
                    ref={virtualizer.measureElement}
                    data-index={item.index}
                    className="turns-item"
                    style={{ transform: `translateY(${item.start}px)` }}
                  >
                    <TurnView turn={turn} rolloutId={rolloutId} current={item.index === cursor && !following} onRequest={setRequest} />
                  </div>
                );
              })}
            </div>
          </section>
          {going && <GotoTurn last={turns.length} onClose={() => setGoing(false)} onGo={(number) => moveTo(number - 1)} />}
          {request?.response && <RequestView nodeId={request.response.id} turn={request.number} onClose={() => setRequest(null)} />}
          {live && !following && (
            <Button className="follow" icon={DownIcon} onClick={() => setFollowing(true)}>
              Follow
            </Button>
          )}
        </div>
      </HitProvider>
    </OpennessProvider>
  );
}
