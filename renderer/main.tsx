// Entry of the page. The first two imports stay first: one silences a probe of zod's that the CSP would report, the other is the ground
// that the styles of components stand on.
import './client/jitless.ts';
import './style/index.css';

import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { connect } from './client/index.ts';
import { createLab } from './data/lab.tsx';
import { applyPreferences } from './data/preferences.ts';
import { listenToKeys } from './ui/keys.ts';

applyPreferences(document.documentElement);
listenToKeys(document);

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    <App lab={createLab(connect())} />
  </StrictMode>,
);
