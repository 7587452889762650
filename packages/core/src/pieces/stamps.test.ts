import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { tempFolder } from '@toolwright/machine/base/fixtures/temp-folder.js';
import { expect, it } from 'vitest';
import { stampOfProgram } from './stamps.js';

it('the stamp of the program changes with its folder, also for a module that the build has put into another file', () => {
  const base = tempFolder();
  const install = (code: string): string => {
    mkdirSync(join(base, 'dist'));
    writeFileSync(join(base, 'dist/program.cjs'), code);
    return stampOfProgram(pathToFileURL(join(base, 'dist/chunk.cjs')).href);
  };
  const first = install('one');
  expect(stampOfProgram(pathToFileURL(join(base, 'dist/chunk.cjs')).href)).toBe(first);
  renameSync(join(base, 'dist'), join(base, 'before'));
  expect(install('two')).not.toBe(first);
});
