import { listModels, loadModel } from '../config/models.ts';
import { AppError } from '../lib/errors.ts';
import { createModel, probe } from '../model/create.ts';
import type { ApiDeps } from './deps.ts';
import { os } from './os.ts';
import { signalOf } from './system.ts';

export function modelsApi({ paths }: ApiDeps) {
  return os.models.router({
    list: os.models.list.handler(async () => ({ models: await listModels(paths) })),
    probe: os.models.probe.handler(async ({ input, signal }) => {
      const started = performance.now();
      try {
        await using model = await createModel(await loadModel(input.name, paths), paths.root);
        return { ok: true, ...(await probe(model, signalOf(signal))) };
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        const detail = [error.message, error.hint].filter(Boolean).join(' ');
        return { ok: false, detail, milliseconds: Math.round(performance.now() - started), contextLimit: null };
      }
    }),
  });
}
