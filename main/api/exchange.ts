import { isAbsolute } from 'node:path';
import { exportRollouts, rolloutsOf } from '../exchange/export.ts';
import { AppError } from '../lib/errors.ts';
import type { ApiDeps } from './deps.ts';
import { os } from './os.ts';
import { signalOf } from './system.ts';
import { PARK_MS } from './watch.ts';

export function exchangeApi({ lab, imports, paths, version }: ApiDeps) {
  const { store } = lab;
  return os.exchange.router({
    import: os.exchange.import.handler(({ input }) => ({ importId: imports.start(absolute(input.path), input.name) })),
    watchImport: os.exchange.watchImport.handler(({ input, signal }) =>
      imports.read(input.importId, input.after, PARK_MS, signalOf(signal)),
    ),
    cancelImport: os.exchange.cancelImport.handler(async ({ input }) => {
      await imports.cancel(input.importId);
      return {};
    }),
    export: os.exchange.export.handler(({ input, signal }) => {
      const { format, overwrite } = input;
      const from = { store, recordings: paths.recordings, version };
      return exportRollouts(rolloutsOf(store, input.of), from, { format, overwrite, path: absolute(input.path), signal: signalOf(signal) });
    }),
    origin: os.exchange.origin.handler(({ input }) => ({ origin: store.imports.origin(input.rolloutId) })),
  });
}

/** The folder in which the backend was started is nobody's business: a relative path would mean something else there. */
function absolute(path: string): string {
  if (isAbsolute(path)) return path;
  throw new AppError('request.invalid', `${path} is no absolute path`, {
    hint: 'Give the whole path, from the root of the file system on.',
  });
}
