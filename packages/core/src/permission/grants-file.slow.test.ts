import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tempFolder } from '@toolwright/machine/base/fixtures/temp-folder.js';
import { createClock, createIds } from '@toolwright/machine/host/node-host.js';
import { openState, type State } from '@toolwright/machine/host/state/state.js';
import { beforeEach, expect, it } from 'vitest';
import { openGrantsFile } from './grants-file.js';

let base: string;
let state: State;
let now = 1_000;
const clock = { ...createClock(), now: () => now };
const host = { clock, ids: createIds() };
const { signal } = new AbortController();

beforeEach(() => {
  base = tempFolder();
  state = openState({ path: join(base, 'state'), host });
  now = 1_000;
});

it('the grants file remembers a yes for one workspace or for all', async () => {
  const grants = openGrantsFile(state, host);
  expect(await grants.readGrants()).toEqual([]);
  const here = await grants.saveGrant({ rule: 'Edit(src/**)', workspace: '/work/a' }, signal);
  const everywhere = await grants.saveGrant({ rule: 'Fetch(example.org)' }, signal);
  expect(here).toEqual({
    v: 1,
    id: expect.any(String),
    rule: 'Edit(src/**)',
    verdict: 'allow',
    workspace: '/work/a',
    createdAt: 1_000,
  });
  expect(await grants.readGrants('/work/a')).toEqual([here, everywhere]);
  expect(await grants.readGrants('/work/b')).toEqual([everywhere]);
  expect(JSON.parse(await readFile(state.pathOf('grants.json'), 'utf8'))).toEqual({
    v: 1,
    grants: [here, everywhere],
  });
});

it('the grants file replaces a grant for the same rule and workspace', async () => {
  const grants = openGrantsFile(state, host);
  await grants.saveGrant({ rule: 'glob', uses: 1 }, signal);
  const later = await grants.saveGrant({ rule: 'glob' }, signal);
  expect(await grants.readGrants()).toEqual([later]);
});

it('the grants file forgets what has expired and what is used up', async () => {
  const grants = openGrantsFile(state, host);
  const short = await grants.saveGrant({ rule: 'glob', expiresAt: 2_000 }, signal);
  const twice = await grants.saveGrant({ rule: 'edit', uses: 2 }, signal);
  expect(await grants.useGrant(short.id, signal)).toBe(true);
  expect(await grants.useGrant(twice.id, signal)).toBe(true);
  now = 2_000;
  expect((await grants.readGrants()).map(({ rule, uses }) => [rule, uses])).toEqual([['edit', 1]]);
  expect(await grants.useGrant(short.id, signal)).toBe(false);
  expect(await grants.useGrant(twice.id, signal)).toBe(true);
  expect(await grants.useGrant(twice.id, signal)).toBe(false);
  expect(await grants.readGrants()).toEqual([]);
});

it('the grants file removes a grant and says whether there was one', async () => {
  const grants = openGrantsFile(state, host);
  const { id } = await grants.saveGrant({ rule: 'glob' }, signal);
  expect(await grants.removeGrant(id, signal)).toBe(true);
  expect(await grants.removeGrant(id, signal)).toBe(false);
});

it('the grants file loses none when many are saved at once', async () => {
  const rules = Array.from({ length: 40 }, (_, index) => `Edit(${index})`);
  await Promise.all(
    rules.map((rule) => openGrantsFile(state, host).saveGrant({ rule }, new AbortController().signal)),
  );
  expect((await openGrantsFile(state, host).readGrants()).map(({ rule }) => rule).sort()).toEqual(
    rules.sort(),
  );
});

it.each(['{"v":1,"grants":[{"v":1,"rule":5}]}', '{"v":1,"grants":{}}', '{"v":1}'])(
  'the file of grants refuses %s rather than guess',
  async (text) => {
    await state.make();
    await writeFile(state.pathOf('grants.json'), text);
    await expect(openGrantsFile(state, host).readGrants()).rejects.toThrow(
      /grants\.json holds something that is not a grant/,
    );
  },
);
