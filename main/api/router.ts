// All handlers, as one router that any door can serve.
import type { ApiDeps } from './deps.ts';
import { exchangeApi } from './exchange.ts';
import { filesApi } from './files.ts';
import { modelsApi } from './models.ts';
import { os } from './os.ts';
import { rolloutsApi } from './rollouts.ts';
import { runsApi } from './runs.ts';
import { shellsApi } from './shells.ts';
import { systemApi } from './system.ts';
import { tasksApi } from './tasks.ts';
import { tokensApi } from './tokens.ts';

export function createRouter(deps: ApiDeps) {
  return os.router({
    system: systemApi(deps),
    tasks: tasksApi(deps),
    files: filesApi(deps),
    shells: shellsApi(deps),
    runs: runsApi(deps),
    rollouts: rolloutsApi(deps),
    models: modelsApi(deps),
    exchange: exchangeApi(deps),
    tokens: tokensApi(deps),
  });
}
