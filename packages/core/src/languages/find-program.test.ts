import { join } from 'node:path';
import type { JsonObject } from '@toolwright/machine/base/json.js';
import { createTempWorkspace, type TempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findServer } from './find-program.js';
import { type LanguageOptions, languageOf, languagesOf } from './known-servers.js';

let temp: TempWorkspace;
beforeEach(() => {
  temp = createTempWorkspace();
});
afterEach(() => temp.cleanup());

/** The words that start the server of a file; null where there is none. */
async function wordsFor(file: string, trusted: boolean, options: LanguageOptions = {}) {
  const language = languageOf(file, languagesOf(options))!;
  const path = [temp.path('bin'), join(temp.outside, 'bin')].join(':');
  return (await findServer(language, { root: temp.directory, trusted, path }))?.words ?? null;
}

it('a program of the workspace is a server only where the workspace is trusted, one of the machine everywhere', async () => {
  temp.write('node_modules/pyright/langserver.index.js', '');
  temp.write('../outside/bin/pyright-langserver', '');
  temp.write('bin/pyright-langserver', '');
  const own = temp.path('node_modules/pyright/langserver.index.js');
  expect(await wordsFor('a.py', true)).toEqual([process.execPath, own, '--stdio']);
  // The PATH names a folder of the workspace first; it does not count.
  const ofMachine = join(temp.outside, 'bin/pyright-langserver');
  expect(await wordsFor('a.py', false)).toEqual([ofMachine, '--stdio']);
});

it('a compiler that is too old for the protocol is no server, and without any program there is none', async () => {
  const compiler = 'node_modules/typescript';
  temp.write(`${compiler}/bin/tsc`, '');
  temp.write(`${compiler}/package.json`, '{"version":"5.9.3"}');
  expect(await wordsFor('a.ts', true)).toBeNull();
  temp.write(`${compiler}/package.json`, '{"version":"7.0.2"}');
  expect(await wordsFor('a.ts', true)).toContain('--lsp');
  expect(await wordsFor('a.go', true)).toBeNull();
});

it('a server that the settings name takes the place of the known one, from the workspace only where it is trusted', async () => {
  const command = './tools/lua-server --quiet';
  temp.write('tools/lua-server', '');
  const options = { servers: { lua: { command, extensions: ['.lua', '.ts'] } } };
  expect(await wordsFor('a.ts', true, options)).toEqual([temp.path('tools/lua-server'), '--quiet']);
  expect(await wordsFor('a.lua', false, options)).toBeNull();
});

it('a server is told the interpreter of a trusted workspace, beside what the settings say', async () => {
  temp.write('../outside/bin/pyright-langserver', '');
  const path = join(temp.outside, 'bin');
  const settingsOf = async (trusted: boolean, settings?: JsonObject) => {
    const servers = { pyright: { command: 'pyright-langserver --stdio', extensions: ['.py'], settings } };
    const language = languageOf('a.py', languagesOf(settings ? { servers } : {}))!;
    return (await findServer(language, { root: temp.directory, trusted, path }))?.settings;
  };
  expect(await settingsOf(true)).toEqual({});
  temp.write('.venv/bin/python', '');
  const pythonPath = temp.path('.venv/bin/python');
  expect(await settingsOf(true)).toEqual({ python: { pythonPath } });
  expect(await settingsOf(false)).toEqual({});
  const analysis = { typeCheckingMode: 'strict' };
  expect(await settingsOf(true, { python: { analysis } })).toEqual({ python: { pythonPath, analysis } });
  expect(await settingsOf(true, { python: { pythonPath: '/usr/bin/python3' } })).toEqual({
    python: { pythonPath: '/usr/bin/python3' },
  });
});
