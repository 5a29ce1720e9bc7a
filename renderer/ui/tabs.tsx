// Tabs of a panel. Panels that must outlive being hidden (terminals) ask to be kept.
import { Tabs as BaseTabs } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';
import { PanelBoundary } from './notice.tsx';
import './tabs.css';

export interface Tab<Id extends string> {
  id: Id;
  title: string;
  /** A figure or sign behind the title. */
  mark?: ReactNode;
  content: ReactNode;
  keep?: boolean;
}

export function Tabs<Id extends string>({
  tabs,
  value,
  onChange,
  label,
  aside,
}: {
  tabs: readonly Tab<Id>[];
  value: Id;
  onChange: (id: Id) => void;
  label: string;
  aside?: ReactNode;
}) {
  return (
    <BaseTabs.Root
      className="tabs"
      value={value}
      onValueChange={(next) => {
        const tab = tabs.find((known) => known.id === next);
        if (tab) onChange(tab.id);
      }}
    >
      <div className="tabs-bar">
        <BaseTabs.List className="tabs-list" aria-label={label}>
          {tabs.map((tab) => (
            <BaseTabs.Tab key={tab.id} value={tab.id} className="tab">
              {tab.title}
              {tab.mark !== undefined && <span className="tab-mark figures">{tab.mark}</span>}
            </BaseTabs.Tab>
          ))}
        </BaseTabs.List>
        {aside && <div className="row tabs-aside">{aside}</div>}
      </div>
      {tabs.map((tab) => (
        <BaseTabs.Panel key={tab.id} value={tab.id} className="tab-panel" keepMounted={tab.keep ?? false}>
          <PanelBoundary name={tab.title}>{tab.content}</PanelBoundary>
        </BaseTabs.Panel>
      ))}
    </BaseTabs.Root>
  );
}
