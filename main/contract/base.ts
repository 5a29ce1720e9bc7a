import { oc } from '@orpc/contract';
import { errorData } from './errors.ts';

/** Every procedure can fail with `LAB`, whose data says what, where and what to do. */
export const procedure = oc.errors({ LAB: { status: 500, data: errorData } });
