import { constants } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { mayAccess } from './regular-file.js';

it('mayAccess tells whether a path may be read or run, and no for one that is not there', () => {
  expect(mayAccess(process.execPath, constants.X_OK)).toBe(true);
  expect(mayAccess(import.meta.dirname, constants.R_OK)).toBe(true);
  expect(mayAccess(join(import.meta.dirname, 'may-access.ts'), constants.X_OK)).toBe(false);
  expect(mayAccess(join(import.meta.dirname, 'not-there'), constants.R_OK)).toBe(false);
});
