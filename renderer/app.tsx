// The page: what every screen shares, and which screen is at which address.
import { Tooltip } from '@base-ui/react/tooltip';
import { lazy, Suspense } from 'react';
import { Redirect, Route, Router, Switch } from 'wouter';
import { useHashLocation } from 'wouter/use-hash-location';
import { type Lab, LabProvider } from './data/lab.tsx';
import { Models } from './features/models/models.tsx';
import { NewRun } from './features/runs/new-run.tsx';
import { RunPage } from './features/runs/run-page.tsx';
import { Runs } from './features/runs/runs.tsx';
import { Doctor } from './features/settings/doctor.tsx';
import { Settings } from './features/settings/settings.tsx';
import { Tasks } from './features/tasks/tasks.tsx';
import { Frame } from './frame/frame.tsx';
import { Loading } from './ui/notice.tsx';
import { Toasts } from './ui/toasts.tsx';

const RolloutPage = lazy(() => import('./features/rollout/rollout-page.tsx').then((module) => ({ default: module.RolloutPage })));

export function App({ lab }: { lab: Lab }) {
  return (
    <LabProvider lab={lab}>
      <Router hook={useHashLocation}>
        <Tooltip.Provider>
          <Frame>
            <Suspense fallback={<Loading what="the screen" />}>
              <Switch>
                <Route path="/runs" component={Runs} />
                <Route path="/runs/new" component={NewRun} />
                <Route path="/runs/:runId">{({ runId }) => <RunPage key={runId} runId={runId} />}</Route>
                <Route path="/rollouts/:rolloutId">{({ rolloutId }) => <RolloutPage key={rolloutId} rolloutId={rolloutId} />}</Route>
                <Route path="/tasks/:taskId?">{({ taskId }) => <Tasks taskId={taskId} />}</Route>
                <Route path="/models" component={Models} />
                <Route path="/settings" component={Settings} />
                <Route path="/doctor" component={Doctor} />
                <Route>
                  <Redirect to="/runs" replace />
                </Route>
              </Switch>
            </Suspense>
          </Frame>
          <Toasts />
        </Tooltip.Provider>
      </Router>
    </LabProvider>
  );
}
