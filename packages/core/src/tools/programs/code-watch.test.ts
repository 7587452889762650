import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '@toolwright/machine/base/fixtures/temp-folder.js';
import { createWorkspace } from '@toolwright/machine/host/workspace.js';
import { beforeEach, expect, it } from 'vitest';
import { type CodeWatch, createCodeWatch } from './code-watch.js';

let base: string;
let watch: CodeWatch;
const { signal } = new AbortController();
const command = () => ({ words: ['node', 'call.mjs', 'name'], directory: base });

beforeEach(() => {
  base = tempFolder();
  writeFileSync(join(base, 'call.mjs'), "import './part.mjs'");
  writeFileSync(join(base, 'part.mjs'), '1');
  watch = createCodeWatch({
    commands: async () => [{ words: ['node', 'call.mjs'], directory: base }],
    workspace: createWorkspace({ directory: base }),
    path: '/usr/bin',
  });
  watch.begin();
});

it('a program runs as long as it and what it imports are as they were', async () => {
  await watch.refuseChanged(command(), signal);
  writeFileSync(join(base, 'unrelated.mjs'), '');
  await watch.refuseChanged(command(), signal);
  writeFileSync(join(base, 'part.mjs'), '2');
  await expect(watch.refuseChanged(command(), signal)).rejects.toThrow(
    'part.mjs, which this tool runs, changed since the session began, so it is not run. The user can look at it and then type /tools refresh, or start Toolwright again.',
  );
});

it('an import that a tool file has only now is a change, and asking for the tools anew settles it', async () => {
  await watch.refuseChanged(command(), signal);
  writeFileSync(join(base, 'part.mjs'), "import './more.mjs'");
  writeFileSync(join(base, 'more.mjs'), '');
  await expect(watch.refuseChanged(command(), signal)).rejects.toThrow(/changed since the session began/);
  watch.begin();
  await watch.refuseChanged(command(), signal);
});
