import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { ownLease } from '../leases/lease.js';
import { makeShortLivedFolder } from '../leases/owned-folder.js';
import { createTempApartFolders } from './fixtures/temp-apart-folders.js';

let temporary: ReturnType<typeof createTempApartFolders>;
beforeEach(() => {
  temporary = createTempApartFolders();
});
afterEach(() => temporary.cleanup());

function change(folder: string, name: string, text = 'changed\n'): void {
  const path = join(folder, 'upper-0', name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

it('a session apart is written down, listed and taken again', async () => {
  const { folders, begin, workspace, clock } = temporary;
  const first = await begin('Tidy up\nthe tests');
  change(first.path, 'a.txt');
  change(first.path, 'deep/er/b.txt', 'x'.repeat(10_000));
  const { id } = first.about;
  expect((await folders.list()).map(({ heldBy }) => heldBy)).toEqual([
    expect.stringMatching(new RegExp(`^process ${process.pid} on .+ since `)),
  ]);
  await first.close();
  clock.advance(3 * 60 * 60 * 1000);
  const [listed, ...more] = await folders.list();
  expect(more).toEqual([]);
  expect(listed).toMatchObject({
    id,
    problem: null,
    heldBy: null,
    ageMs: 3 * 60 * 60 * 1000,
    about: { id, workspace, roots: [workspace], prompt: 'Tidy up\nthe tests' },
    size: { entries: 2, isPartial: false },
  });
  expect(listed!.size.bytes).toBeGreaterThan(10_000);
  const again = await folders.take(await folders.find(id.slice(0, 12)));
  expect(again.about).toEqual(listed!.about);
  expect(again.about.size).toMatchObject({ entries: 2 });
  await again.remove();
  expect(await folders.list()).toEqual([]);
});

it('the newest one of a session is found by the id of the session, damaged ones or not', async () => {
  const { folders, begin, clock } = temporary;
  const older = await begin();
  clock.advance(1_000);
  const newer = await begin();
  clock.advance(1_000);
  const damaged = await begin();
  for (const { path } of [older, newer, damaged]) change(path, 'a.txt');
  writeFileSync(join(damaged.path, 'about.json'), '{');
  expect(await folders.ofSession(newer.about.session)).toBe(newer.about.id);
  expect(await folders.ofSession('another')).toBeNull();
  for (const { close } of [older, newer, damaged]) await close();
});

it('two programs never work in the same one, and the second is told who is there', async () => {
  const { folders, begin } = temporary;
  const mine = await begin();
  const { id } = mine.about;
  change(mine.path, 'a.txt');
  const busy = `The session apart ${id} is in use by process ${process.pid} on `;
  await expect(folders.take(id)).rejects.toThrow(busy);
  await expect(folders.remove(id)).rejects.toThrow(busy);
  await mine.close();
  const again = await folders.take(id);
  await again.close();
  const refuses = async () => {
    await expect(folders.take(id)).rejects.toThrow(busy);
    return false;
  };
  expect(await folders.remove(id, refuses)).toBe(false);
  expect(await folders.remove(id)).toBe(true);
  await expect(folders.take(id)).rejects.toThrow(`There is no session apart ${id}. toolwright apart list`);
});

it('the lease of a program that was killed keeps nobody out', async () => {
  const { folders, begin, state } = temporary;
  const mine = await begin();
  change(mine.path, 'a.txt');
  const { id } = mine.about;
  await mine.close();
  const dead = { v: 1, token: 'dead', since: 0, ...(await ownLease()), pid: 2 ** 22 + 1 };
  symlinkSync(JSON.stringify(dead), state.pathOf('locks', `apart-${id}.lock`));
  expect((await folders.list())[0]!.heldBy).toBeNull();
  expect(await folders.leftovers()).toEqual([
    `The program that worked in the session apart ${id} was killed. Nothing is lost: toolwright apart show ${id}`,
  ]);
  await (await folders.take(id)).remove();
  symlinkSync(JSON.stringify(dead), state.pathOf('locks', `apart-${id}.lock`));
  expect(await folders.sweep()).toBe(1);
  expect(readdirSync(state.pathOf('locks'))).toEqual([]);
});

it('a view without changes is removed when it is closed, any other stays', async () => {
  const { begin, parent } = temporary;
  const empty = await begin();
  for (const name of ['upper-0', 'work-0/work', 'bases', 'intents/of-a-workspace'])
    mkdirSync(join(empty.path, name), { recursive: true });
  writeFileSync(join(empty.path, 'bases.jsonl'), '{}\n');
  await empty.close();
  expect(readdirSync(parent)).toEqual([]);
  const changes: ((path: string) => void)[] = [
    (path) => change(path, 'a.txt'),
    (path) => mkdirSync(join(path, 'upper-1', 'new'), { recursive: true }),
    (path) => symlinkSync('nowhere', join(path, 'unknown')),
    (path) => {
      mkdirSync(join(path, 'upper-0'));
      writeFileSync(Buffer.concat([Buffer.from(join(path, 'upper-0/')), Buffer.from([0xff])]), '');
    },
  ];
  for (const make of changes) {
    const changed = await begin();
    make(changed.path);
    await changed.close();
    expect(existsSync(changed.path)).toBe(true);
  }
});

it('a prompt is noted once, when it is known', async () => {
  const { begin, folders } = temporary;
  const mine = await begin('');
  change(mine.path, 'a.txt');
  await mine.notePrompt('First');
  await mine.notePrompt('Second');
  await mine.close();
  expect((await folders.list())[0]!.about?.prompt).toBe('First');
});

it('a damaged one is listed with what is wrong, can not be taken, and stays', async () => {
  const { begin, folders, parent } = temporary;
  const texts = [
    ['{"v": 1, "id"', 'is damaged.'],
    ['{"v": 1, "id": "x"}', 'does not say which workspace and which session it belongs to.'],
    ['{"v": 99}', 'was written by a newer Toolwright'],
  ] as const;
  for (const [text, problem] of texts) {
    const mine = await begin();
    change(mine.path, 'a.txt');
    await mine.close();
    writeFileSync(join(mine.path, 'about.json'), text);
    await expect(folders.take(mine.about.id)).rejects.toThrow(problem);
    const listed = (await folders.list()).find(({ id }) => id === mine.about.id);
    expect(listed).toMatchObject({ about: null, problem: expect.stringContaining(problem) });
  }
  mkdirSync(join(parent, 'without'));
  expect((await folders.list()).map(({ problem }) => problem)).toContainEqual(
    expect.stringContaining('without/about.json is missing.'),
  );
  await expect(folders.about('without')).rejects.toThrow('without/about.json is missing.');
  expect(await folders.leftovers()).toContainEqual(
    `${parent}/without/about.json is missing. What was changed is in ${parent}/without; toolwright apart drop without removes it.`,
  );
  await folders.sweep();
  expect((await folders.list()).length).toBe(texts.length + 1);
});

it('the start warns of old ones by what is written down, and of none that are new', async () => {
  const { begin, folders, clock } = temporary;
  expect((await folders.look()).warnings).toEqual([]);
  const mine = await begin('Forgotten');
  change(mine.path, 'a.txt');
  await mine.close();
  expect((await folders.look()).warnings).toEqual([]);
  clock.advance(31 * 24 * 60 * 60 * 1000);
  expect((await folders.look()).warnings).toEqual([
    expect.stringMatching(
      `^A session apart is older than 30 days; the oldest is ${mine.about.id} ."Forgotten".. To look`,
    ),
  ]);
  writeFileSync(join(mine.path, 'about.json'), 'broken');
  expect((await folders.look()).warnings).toEqual([]);
});

it('a beginning that fits none or several is told', async () => {
  const { begin, folders } = temporary;
  for (const _ of [1, 2]) change((await begin()).path, 'a.txt');
  await expect(folders.find('')).rejects.toThrow(' is the beginning of 2 ids of sessions apart. toolwright');
  await expect(folders.find('nothing')).rejects.toThrow('There is no session apart nothing. toolwright');
});

it('names that lead elsewhere are no sessions apart', async () => {
  const { base, folders, parent } = temporary;
  mkdirSync(parent, { recursive: true });
  mkdirSync(join(base, 'elsewhere'));
  writeFileSync(join(base, 'elsewhere/precious'), 'precious\n');
  symlinkSync(join(base, 'elsewhere'), join(parent, 'link'));
  for (const id of ['link', '..', '../../elsewhere', '', '.'])
    await expect(folders.remove(id)).rejects.toThrow('There is no session apart');
  expect(await folders.list()).toEqual([]);
  expect(readFileSync(join(base, 'elsewhere/precious'), 'utf8')).toBe('precious\n');
});

it('what a killed program had begun to make or to remove is finished, unless somebody is at it', async () => {
  const { base, folders, parent, state } = temporary;
  mkdirSync(join(base, 'elsewhere'));
  writeFileSync(join(base, 'elsewhere/precious'), 'precious\n');
  for (const name of ['one.new', 'two.removed', 'three.removed'])
    mkdirSync(join(parent, name), { recursive: true });
  symlinkSync(join(base, 'elsewhere'), join(parent, 'two.removed/link'));
  const held = await state.hold('apart-three', new AbortController().signal);
  expect(await folders.list()).toEqual([]);
  expect(await folders.leftovers()).toEqual(
    ['one', 'two'].map((id) => expect.stringMatching(`^The session apart ${id} was left half made or half`)),
  );
  expect(await folders.sweep()).toBe(2);
  expect([await folders.leftovers(), readdirSync(parent)]).toEqual([[], ['three.removed']]);
  if ('release' in held) held.release();
  expect(await folders.sweep()).toBe(1);
  expect(readFileSync(join(base, 'elsewhere/precious'), 'utf8')).toBe('precious\n');
});

it('without a state folder there are none, and none is made by asking', async () => {
  const { folders, state } = temporary;
  expect(await folders.list()).toEqual([]);
  expect(await folders.sweep()).toBe(0);
  expect(existsSync(state.path)).toBe(false);
});

it("a session apart of a short-lived workspace is nobody's when the maker of that is dead, and no other", async () => {
  const { folders, workspace } = temporary;
  const ours = makeShortLivedFolder();
  onTestFinished(() => rmSync(ours, { recursive: true }));
  const { pid: gone } = spawnSync('true');
  const left = join(dirname(ours), basename(ours).replace(String(process.pid), String(gone)));
  const elsewhere = join(workspace, basename(left));
  for (const [session, place] of Object.entries({ left, ours, workspace, elsewhere })) {
    const begun = await folders.create({ session, workspace: place, roots: [place], prompt: session });
    change(begun.path, 'a.txt');
    await begun.close();
  }
  expect((await folders.look()).shortLived).toMatchObject([{ session: 'left' }]);
});
