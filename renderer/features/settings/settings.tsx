// How the page looks in this browser, and what lab it belongs to.
import type { ReactNode } from 'react';
import { useFeed } from '../../data/feed.ts';
import { useLab } from '../../data/lab.tsx';
import { setPreferences, type Theme, usePreferences } from '../../data/preferences.ts';
import { ActionButton } from '../../ui/button.tsx';
import { Segmented } from '../../ui/fields.tsx';
import { bytes, count } from '../../ui/format.ts';
import { Facts, PageHead, Scroll } from '../../ui/page.tsx';
import { KeySettings } from './key-settings.tsx';
import './settings.css';

const themes: readonly { value: Theme; label: string }[] = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
  { value: 'contrast', label: 'High contrast' },
];

const sizes = (all: readonly number[]) => all.map((size) => ({ value: String(size), label: String(size) }));

export function Settings() {
  const lab = useLab();
  const preferences = usePreferences();
  const status = useFeed(lab.status, (one) => one.value);
  return (
    <>
      <PageHead title="Settings" />
      <Scroll label="Settings" className="narrow settings">
        <section className="card">
          <Setting title="Theme" words="High contrast follows the system's light or dark.">
            <Segmented<Theme> label="Theme" value={preferences.theme} onChange={(theme) => setPreferences({ theme })} choices={themes} />
          </Setting>
          <Setting title="Text size" words="In pixels. Everything but terminals.">
            <Segmented
              label="Text size"
              value={String(preferences.textSize)}
              onChange={(size) => setPreferences({ textSize: Number(size) })}
              choices={sizes([12, 13, 14, 15, 16])}
            />
          </Setting>
          <Setting title="Terminal text size" words="In pixels, where a terminal is read or typed into.">
            <Segmented
              label="Terminal text size"
              value={String(preferences.terminalSize)}
              onChange={(size) => setPreferences({ terminalSize: Number(size) })}
              choices={sizes([10, 11, 12, 13, 14, 16])}
            />
          </Setting>
          <Setting title="Keys" words="What every key does on each screen.">
            <ActionButton action="lab.keys" />
          </Setting>
        </section>
        <KeySettings />
        {status && (
          <section className="card stack">
            <h2>This lab</h2>
            <Facts
              facts={[
                ['Version', status.version],
                [
                  'Data folder',
                  <span key="data" className="mono">
                    {status.dataFolder}
                  </span>,
                ],
                ['Docker', status.docker.detail],
                ['Containers', count(status.containers)],
                ['Free disk', bytes(status.diskFreeBytes)],
                ['Memory of the lab', bytes(status.memoryBytes)],
              ]}
            />
          </section>
        )}
      </Scroll>
    </>
  );
}

function Setting({ title, words, children }: { title: string; words: string; children: ReactNode }) {
  return (
    <div className="setting">
      <div>
        <h3 className="setting-title">{title}</h3>
        <p className="faint">{words}</p>
      </div>
      {children}
    </div>
  );
}
