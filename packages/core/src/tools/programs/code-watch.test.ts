import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createWorkspace } from '@toolwright/machine/host/workspace.js';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type CodeWatch, createCodeWatch } from './code-watch.js';

let base: string;
let watch: CodeWatch;
const { signal } = new AbortController();
const command = () => ({ words: ['node', 'call.mjs', 'name'], directory: base });

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'toolwright-code-watch-')));
  writeFileSync(join(base, 'call.mjs'), "import './part.mjs'");
  writeFileSync(join(base, 'part.mjs'), '1');
  watch = createCodeWatch({
    commands: async () => [{ words: ['node', 'call.mjs'], directory: base }],
    workspace: createWorkspace({ directory: base }),
    path: '/usr/bin',
  });
  watch.begin();
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

it('a program runs as long as it and what it imports are as they were', async () => {
  await watch.refuseChanged(command(), signal);
  writeFileSync(join(base, 'unrelated.mjs'), '');
  await watch.refuseChanged(command(), signal);
  writeFileSync(join(base, 'part.mjs'), '2');
  await expect(watch.refuseChanged(command(), signal)).rejects.toThrow(
    'part.mjs, which this tool runs, changed since the session began, so it is not run. The user can look at it and then type /tools refresh, or start Toolwright again.',
  );
});

it('what it imports only now is a change, and asking for the tools anew settles that', async () => {
  await watch.refuseChanged(command(), signal);
  writeFileSync(join(base, 'part.mjs'), "import './more.mjs'");
  writeFileSync(join(base, 'more.mjs'), '');
  await expect(watch.refuseChanged(command(), signal)).rejects.toThrow(/changed since the session began/);
  watch.begin();
  await watch.refuseChanged(command(), signal);
});
