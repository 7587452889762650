import { join } from 'node:path';
import { createRipgrep, everyFileOf } from '@toolwright/machine/host/ripgrep/ripgrep.js';
import { createWorkspace } from '@toolwright/machine/host/workspace.js';
import { createTempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { expect, it } from 'vitest';
import { hiddenPaths } from './hidden-paths.js';
import { createPermission } from './permission.js';
import type { RuleText, Verdict } from './rules.js';

const MOST = 20;
const everyFile = everyFileOf(createRipgrep());

async function hiddenBy(
  rules: [Verdict, string][],
  named: string[] = [],
  files: string[] = [],
): Promise<string[]> {
  const temp = createTempWorkspace();
  try {
    for (const path of files) temp.write(path, 'x');
    for (const path of ['.env', 'sub/.env', 'secrets/key', 'secrets/deep/key', 'src/a.ts']) {
      temp.write(path, 'x');
    }
    const workspace = createWorkspace({ directory: temp.directory });
    const texts: RuleText[] = rules.map(([verdict, text]) => ({ verdict, text, source: 'test' }));
    const permission = await createPermission({ mode: 'default', rules: texts, workspace });
    const { roots } = workspace;
    const absolute = named.map((path) => join(workspace.directory, path));
    const found = await hiddenPaths(
      { roots, everyFile, permission, most: MOST },
      absolute,
      AbortSignal.timeout(10_000),
    );
    return found.map((path) => workspace.show(path)).sort();
  } finally {
    await temp.cleanup();
  }
}

it('the list of hidden paths hides nothing without rules about reading', async () => {
  expect(
    await hiddenBy([
      ['deny', 'Edit(src/**)'],
      ['allow', 'Read(.env)'],
    ]),
  ).toEqual([]);
});

it('the list of hidden paths names the place itself where a rule names one', async () => {
  expect(
    await hiddenBy([
      ['deny', 'Read(.env)'],
      ['deny', 'Read(secrets/**)'],
    ]),
  ).toEqual(['.env', 'secrets']);
});

it('the list of hidden paths hides the files that a pattern matches', async () => {
  expect(await hiddenBy([['deny', 'Read(**/.env)']])).toEqual(['.env', 'sub/.env']);
});

it('the list of hidden paths leaves what a rule asks about to a command that names it', async () => {
  expect(await hiddenBy([['ask', 'Read(secrets/**)']])).toEqual(['secrets']);
  expect(await hiddenBy([['ask', 'Read(secrets/**)']], ['secrets'])).toEqual([]);
  expect(await hiddenBy([['ask', 'Read(secrets/**)']], ['.'])).toEqual(['secrets']);
  expect(await hiddenBy([['deny', 'Read(secrets/**)']], ['secrets'])).toEqual(['secrets']);
});

it('the list of hidden paths lets no command run when there is more to hide than can be', async () => {
  const files = Array.from({ length: MOST + 1 }, (_, index) => `keys/${index}.key`);
  await expect(hiddenBy([['deny', 'Read(**/*.key)']], [], files)).rejects.toThrow(/more than 20 files/);
  expect(await hiddenBy([['deny', 'Read(keys/**)']], [], files)).toEqual(['keys']);
});

it('the list of hidden paths stops to remember denied files when the call is cancelled', async () => {
  const temp = createTempWorkspace();
  try {
    for (let count = 0; count < 200; count++) temp.write(`${count}.key`, 'x');
    const workspace = createWorkspace({ directory: temp.directory });
    const rules: RuleText[] = [{ verdict: 'deny', text: 'Read(**/*.key)', source: 'test' }];
    const permission = await createPermission({ mode: 'default', rules, workspace });
    const controller = new AbortController();
    let remembered = 0;
    const denied = {
      mayHaveCopies: false,
      remember() {
        remembered += 1;
        // Aborts between two turns, like a signal handler.
        if (remembered === 1) setImmediate(() => controller.abort({ kind: 'user' }));
      },
    };
    const { roots } = workspace;
    await expect(
      hiddenPaths({ roots, everyFile, permission, denied }, [], controller.signal),
    ).rejects.toEqual({
      kind: 'user',
    });
    expect(remembered).toBeLessThan(100);
  } finally {
    await temp.cleanup();
  }
});
