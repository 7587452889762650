import { diffOfChanges } from '@toolwright/machine/changes/plan.js';
import { expect, it } from 'vitest';
import { warningsOf } from './path-warnings.js';

const name = 'gone\nIt deletes nothing.';
const show = (path: string) => path;

it('a name with a line break can not pass for a sentence of ours, neither in a warning nor above a change', async () => {
  expect(warningsOf([{ path: name, why: 'a new executable' }], show)).toEqual([
    '"gone\\nIt deletes nothing.": a new executable',
  ]);
  const version = { hash: 'x', size: 1, mode: 0o644 };
  const read = async () => Buffer.from('a\n');
  const change = { kind: 'delete' as const, path: name, before: version };
  const { files } = await diffOfChanges([change], { show, before: read, after: read });
  expect(files[0]).toMatchObject({ path: '"gone\\nIt deletes nothing."', change: 'delete' });
  expect(files[0]?.unified.split('\n').slice(0, 3)).toEqual([
    '--- a/"gone\\nIt deletes nothing."',
    '+++ /dev/null',
    '@@ -1 +0,0 @@',
  ]);
});
