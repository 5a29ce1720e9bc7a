// Exchange of the fake lab: it has no folders, so there is nothing to import and nothing was.
import { implement } from '@orpc/server';
import { contract } from '../../main/contract/index.ts';
import { AppError } from '../../main/lib/errors.ts';

const os = implement(contract);

export const fakeExchange = {
  import: os.exchange.import.handler(({ input }) => {
    throw new AppError('request.not_found', `there is no ${input.path}`);
  }),
  watchImport: os.exchange.watchImport.handler(() => {
    throw new AppError('request.not_found', 'there is no such import');
  }),
  cancelImport: os.exchange.cancelImport.handler(() => ({})),
  export: os.exchange.export.handler(() => {
    throw new AppError('request.invalid', 'there is no rollout to export');
  }),
  origin: os.exchange.origin.handler(() => ({ origin: null })),
};
