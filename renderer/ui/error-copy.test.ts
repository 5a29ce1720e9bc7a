import { expect, it } from 'vitest';
import { errorCodes } from '../../main/contract/errors.ts';
import { errorCopy } from './error-copy.ts';

it('says of every error what it is and what to do', () => {
  expect(Object.keys(errorCopy).sort()).toEqual([...errorCodes].sort());
  for (const code of errorCodes) {
    const { title, hint } = errorCopy[code];
    expect(title, code).toMatch(/^\S.*[^.]$/);
    expect(hint, code).toMatch(/^[A-Z].*\.$/);
  }
});
