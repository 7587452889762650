import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '@toolwright/machine/base/fixtures/temp-folder.js';
import { createClock, createIds } from '@toolwright/machine/host/node-host.js';
import { openState } from '@toolwright/machine/host/state/state.js';
import { beforeEach, expect, it } from 'vitest';
import { knownSkillList } from './known-list.js';

let base: string;
const share = { room: 960, bytesOf: (text: string) => Buffer.byteLength(text) };
const clock = { now: () => Date.now() + 60_000 };

beforeEach(() => {
  base = tempFolder();
  mkdirSync(join(base, 'skills'));
});

function write(name: string, description: string): void {
  mkdirSync(join(base, 'skills', name), { recursive: true });
  writeFileSync(join(base, 'skills', name, 'SKILL.md'), `---\ndescription: ${description}\n---\n`);
}

/** The skills that are listed lie in front; of the others nobody reads more than the names. */
function writeMany(): void {
  for (let index = 0; index < 20; index++) write(`a${String(index).padStart(2, '0')}`, 'word '.repeat(50));
  for (let index = 0; index < 200; index++) writeFileSync(join(base, `skills/x${index}`), '');
}

async function list(now = clock): Promise<{ text: string; isSaved: boolean }> {
  const state = openState({ path: join(base, 'state'), host: { clock: createClock(), ids: createIds() } });
  await state.make();
  const folders = [{ path: join(base, 'skills'), shown: 'skills' }];
  const known = await knownSkillList(folders, { state, clock: now, ...share });
  return { text: known.list.text, isSaved: (await state.readJson('skill-list').catch(() => null)) !== null };
}

it('of many skills is taken from the start before, until a name or a listed file is another one', async () => {
  writeMany();
  const first = await list();
  expect(first).toEqual({ text: expect.stringMatching(/^- a00: word.*more skills/s), isSaved: true });
  expect((await list()).text).toBe(first.text);
  write('a00', 'Other words.');
  expect((await list()).text).toMatch(/^- a00: Other words\./);
  write('a00a', 'A further one.');
  expect((await list()).text).toMatch(/^- a00: Other words\.\n- a00a: A further one\./);
  rmSync(join(base, 'skills/a00'), { recursive: true });
  expect((await list()).text).toMatch(/^- a00a: A further one\./);
});

it('the remembered list of skills is not kept of a folder that was changed a moment ago, nor of few skills', async () => {
  write('a', 'One.');
  expect((await list()).isSaved).toBe(false);
  writeMany();
  expect((await list({ now: Date.now })).isSaved).toBe(false);
});

it('the remembered list of skills is made anew where the file of it is broken', async () => {
  writeMany();
  const { text } = await list();
  writeFileSync(join(base, 'state/skill-list.json'), '{ broken');
  expect((await list()).text).toBe(text);
});
