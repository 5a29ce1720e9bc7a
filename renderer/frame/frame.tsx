// The frame around every screen: title bar, activity bar, status bar, and what can be called up from anywhere.
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { useConnection } from '../client/index.ts';
import { useLab } from '../data/lab.tsx';
import { setPreferences, type Theme, usePreferences } from '../data/preferences.ts';
import { type Action, useActions } from '../ui/actions.ts';
import { Hint, Keys } from '../ui/button.tsx';
import {
  DoctorIcon,
  type Icon,
  KeyboardIcon,
  LabIcon,
  ModelIcon,
  PlayIcon,
  PlusIcon,
  SearchIcon,
  SettingsIcon,
  TasksIcon,
} from '../ui/icons.ts';
import { LEAVE_TERMINAL } from '../ui/keys.ts';
import { PanelBoundary } from '../ui/notice.tsx';
import { ConnectionGate } from './connection-gate.tsx';
import { KeySheet } from './key-sheet.tsx';
import { Palette } from './palette.tsx';
import { StatusBar } from './status-bar.tsx';
import './frame.css';

interface Place {
  path: string;
  title: string;
  icon: Icon;
  keys: string;
  /** Further addresses that belong to it. */
  also?: string;
}

const places: readonly Place[] = [
  { path: '/tasks', title: 'Tasks', icon: TasksIcon, keys: 'g t' },
  { path: '/runs', title: 'Runs', icon: PlayIcon, keys: 'g r', also: '/rollouts' },
  { path: '/models', title: 'Models', icon: ModelIcon, keys: 'g m' },
];
const lastPlaces: readonly Place[] = [
  { path: '/doctor', title: 'Doctor', icon: DoctorIcon, keys: 'g d' },
  { path: '/settings', title: 'Settings', icon: SettingsIcon, keys: 'g s' },
];

const themes: readonly { theme: Theme; title: string }[] = [
  { theme: 'system', title: 'Theme: follow the system' },
  { theme: 'light', title: 'Theme: light' },
  { theme: 'dark', title: 'Theme: dark' },
  { theme: 'contrast', title: 'Theme: high contrast' },
];

export function Frame({ children }: { children: ReactNode }) {
  const [location, navigate] = useLocation();
  const { connection } = useLab();
  const state = useConnection(connection);
  const [paletteOpen, setPaletteOpen] = useState(false);
  const [sheetOpen, setSheetOpen] = useState(false);
  const textSize = usePreferences((preferences) => preferences.textSize);

  const actions: Action[] = [
    {
      id: 'lab.palette',
      title: 'Search or do anything',
      section: 'Lab',
      icon: SearchIcon,
      keys: ['Mod+K', LEAVE_TERMINAL],
      hidden: true,
      run: () => setPaletteOpen(true),
    },
    { id: 'lab.keys', title: 'Keyboard shortcuts', section: 'Lab', icon: KeyboardIcon, keys: ['?'], run: () => setSheetOpen(true) },
    {
      id: 'runs.new',
      title: 'Start a run',
      section: 'Runs',
      icon: PlusIcon,
      keys: ['g n'],
      words: 'new launch evaluate',
      run: () => navigate('/runs/new'),
    },
    ...[...places, ...lastPlaces].map(
      (place): Action => ({
        id: `go.${place.path.slice(1)}`,
        title: `Go to ${place.title}`,
        section: 'Go',
        icon: place.icon,
        keys: [place.keys],
        run: () => navigate(place.path),
      }),
    ),
    ...themes.map(
      ({ theme, title }): Action => ({
        id: `theme.${theme}`,
        title,
        section: 'Look',
        words: 'colour color appearance mode',
        run: () => setPreferences({ theme }),
      }),
    ),
    { id: 'text.larger', title: 'Larger text', section: 'Look', run: () => setPreferences({ textSize: Math.min(18, textSize + 1) }) },
    { id: 'text.smaller', title: 'Smaller text', section: 'Look', run: () => setPreferences({ textSize: Math.max(11, textSize - 1) }) },
  ];
  useActions(actions);

  return (
    <div className="frame">
      <button type="button" className="skip-link" onClick={() => document.getElementById('screen')?.focus()}>
        Skip to the screen
      </button>
      <header className="title-bar">
        <span className="brand">
          <LabIcon size={16} aria-hidden />
          Termarium
        </span>
        <button type="button" className="palette-button" onClick={() => setPaletteOpen(true)} aria-keyshortcuts="Control+K">
          <SearchIcon size={14} aria-hidden />
          <span>Search or do anything</span>
          <Keys chord="Mod+K" />
        </button>
        <span className="title-end" />
      </header>
      <nav className="activity-bar" aria-label="Screens">
        {places.map((place) => (
          <ActivityLink key={place.path} place={place} location={location} />
        ))}
        <span className="grow" />
        {lastPlaces.map((place) => (
          <ActivityLink key={place.path} place={place} location={location} />
        ))}
      </nav>
      <main className="screen" id="screen" tabIndex={-1}>
        <ConnectionGate connection={connection} state={state}>
          <PanelBoundary key={location.split('/')[1]} name="This screen">
            {children}
          </PanelBoundary>
        </ConnectionGate>
      </main>
      <StatusBar state={state} onRetry={() => connection.retry()} />
      <Palette open={paletteOpen} onClose={() => setPaletteOpen(false)} />
      <KeySheet open={sheetOpen} onClose={() => setSheetOpen(false)} />
    </div>
  );
}

function ActivityLink({ place, location }: { place: Place; location: string }) {
  const here = location.startsWith(place.path) || (place.also !== undefined && location.startsWith(place.also));
  const { icon: Icon } = place;
  return (
    <Hint text={place.title} keys={place.keys} side="right">
      <a href={`#${place.path}`} className="activity" aria-current={here ? 'page' : undefined} aria-label={place.title}>
        <Icon size={20} strokeWidth={1.75} aria-hidden />
      </a>
    </Hint>
  );
}
