import { implement } from '@orpc/server';
import { contract } from '../contract/index.ts';

/** The contract, ready to be given handlers. */
export const os = implement(contract);
