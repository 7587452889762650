import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Effect } from '@toolwright/machine/base/effect.js';
import { expect, it } from 'vitest';
import { modelText, openTempShell, type TempShell } from './fixtures/temp-shell.js';

/** A shell in which a program of this name is ours; without a sandbox, so that it is found. */
async function openWith(name: string, script: string): Promise<TempShell> {
  const environment: Record<string, string> = { LANG: 'C.UTF-8' };
  const shell = await openTempShell({ environment, sandbox: { mode: 'off' } });
  const folder = join(shell.directory, '..', 'programs');
  mkdirSync(folder);
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, name), 0o755);
  Object.assign(environment, { PATH: `${folder}:${process.env['PATH']}`, HOME: join(folder, '..', 'home') });
  return shell;
}

it('a command that is proven runs as it was understood, every word quoted', async () => {
  await using shell = await openWith('bash', 'echo "$*"; exec /bin/bash "$@"');
  const settled = await shell.run('echo  one"two" {a,b} # and no more');
  expect(shell.asked).toEqual([]);
  expect(modelText(settled)).toContain(" EXIT; 'echo' 'onetwo' 'a' 'b'\n");
});

it('what bash can not read is not proven, whatever we read', async () => {
  await using shell = await openWith('bash', 'case "$*" in *" -n "*) exit 2;; esac; exec /bin/bash "$@"');
  await shell.run('echo {one,two}');
  const [execute] = (shell.asked[0]?.details.effects ?? []) as (Effect & { kind: 'execute' })[];
  expect([execute?.readOnly, execute?.doubts]).toEqual([false, ['bash reads the command line differently']]);
});

it('a line that can be read in one way only is not shown to bash before it runs', async () => {
  await using shell = await openWith(
    'bash',
    'case "$*" in *" -n "*) touch "$(dirname "$0")/../asked";; esac; exec /bin/bash "$@"',
  );
  expect(modelText(await shell.run('echo one | cat'))).toBe('one\n[exit code 0]');
  expect(existsSync(join(shell.directory, '..', 'asked'))).toBe(false);
  await shell.run('echo {one,two}');
  expect(existsSync(join(shell.directory, '..', 'asked'))).toBe(true);
});

it('git runs with what keeps it from starting programs', async () => {
  await using shell = await openWith('git', 'env | grep ^GIT_ | sort');
  const settled = await shell.run('git status');
  expect(shell.asked).toEqual([]);
  expect(modelText(settled)).toMatch(/^GIT_ALLOW_PROTOCOL=none$/m);
  expect(modelText(settled)).toMatch(
    /^GIT_CONFIG_KEY_1=core\.hooksPath\n(.*\n)*GIT_CONFIG_VALUE_1=\/dev\/null$/m,
  );
  expect(modelText(settled)).toMatch(/^GIT_OPTIONAL_LOCKS=0$/m);
});

it('what runs unasked is a program of the machine, wherever in the workspace PATH leads', async () => {
  const environment: Record<string, string> = { LANG: 'C.UTF-8' };
  await using shell = await openTempShell({ environment, sandbox: { mode: 'off' } });
  for (const name of ['bash', 'cat', 'sub/bash', 'sub/cat']) {
    shell.write(name, '#!/bin/sh\ntouch "$0.ran"\n');
    chmodSync(join(shell.directory, name), 0o755);
  }
  symlinkSync(join(shell.directory, 'sub'), join(shell.directory, '..', 'link'));
  const folders = [
    '.',
    'sub',
    shell.directory,
    join(shell.directory, 'sub'),
    join(shell.directory, '..', 'link'),
  ];
  environment['PATH'] = [...folders, process.env['PATH']].join(':');
  shell.write('a.txt', 'one\n');
  expect(modelText(await shell.run('cat a.txt'))).toBe('one\n[exit code 0]');
  expect(shell.asked).toEqual([]);
  expect(modelText(await shell.run('find . -name "*.ran"'))).toBe('(no output)\n[exit code 0]');
});
