// The whole contract: the only thing the renderer, the CLI and the tests know about the backend.
import { exchange } from './exchange.ts';
import { files } from './files.ts';
import { models } from './models.ts';
import { rollouts } from './rollouts.ts';
import { runs } from './runs.ts';
import { shells } from './shells.ts';
import { system } from './system.ts';
import { tasks } from './tasks.ts';
import { tokens } from './tokens.ts';

export const contract = { system, tasks, files, shells, runs, rollouts, models, exchange, tokens };
export type Contract = typeof contract;
