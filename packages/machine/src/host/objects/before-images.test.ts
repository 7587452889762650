import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTempChanges, type TempChanges } from '../../testing/temp-changes.js';
import { createClock, createIds } from '../node-host.js';
import { type BeforeImages, createBeforeImages } from './before-images.js';

const never = new AbortController().signal;
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

let temporary: TempChanges;
beforeEach(() => {
  temporary = createTempChanges({ content: { 'a.txt': 'first\n' } });
});
afterEach(() => temporary.cleanup());

const folder = () => temporary.state.pathOf('objects');
const imagePath = (text: string) => join(folder(), hashOf(text).slice(0, 2), hashOf(text));

function storeOf(owner: string, quotaBytes = 2 ** 30): BeforeImages {
  const { withLock } = temporary.state;
  return createBeforeImages({
    directory: folder(),
    owner,
    quotaBytes,
    withLock,
    ids: createIds(),
    clock: createClock(),
  });
}

async function save(store: BeforeImages, text: string): Promise<string> {
  await store.save(hashOf(text), [Buffer.from(text)]);
  return hashOf(text);
}

async function textOf(store: BeforeImages, hash: string): Promise<string> {
  return Buffer.from(await store.read(hash)).toString();
}

describe('an image', () => {
  it('is a hard link to the very file that was replaced, where that is possible', async () => {
    const { ino } = statSync(temporary.path('a.txt'));
    await temporary.commit({ 'a.txt': 'second\n' });
    expect(statSync(imagePath('first\n')).ino).toBe(ino);
    expect(statSync(temporary.path('a.txt')).ino).not.toBe(ino);
    expect(await textOf(temporary.objects, hashOf('first\n'))).toBe('first\n');
  });

  it('is a copy when the file has other hard links', async () => {
    linkSync(temporary.path('a.txt'), temporary.path('twin.txt'));
    const { ino } = statSync(temporary.path('a.txt'));
    await temporary.commit({ 'a.txt': 'second\n' });
    expect(statSync(imagePath('first\n')).ino).not.toBe(ino);
    expect(await textOf(temporary.objects, hashOf('first\n'))).toBe('first\n');
  });

  it('that someone changed through an open file is not handed out', async () => {
    await temporary.commit({ 'a.txt': 'second\n' });
    appendFileSync(imagePath('first\n'), 'more');
    await expect(temporary.objects.read(hashOf('first\n'))).rejects.toThrow(
      `The earlier version of the file (${hashOf('first\n').slice(0, 12)}) was changed by another program that had the file open; it can't be brought back from here.`,
    );
    expect(await temporary.objects.has(hashOf('first\n'))).toBe(false);
    expect(existsSync(imagePath('first\n'))).toBe(false);
  });

  it('that was changed is put right when the same content is kept again', async () => {
    const hash = await save(temporary.objects, 'kept');
    writeFileSync(imagePath('kept'), 'spoiled');
    await save(temporary.objects, 'kept');
    expect(await textOf(temporary.objects, hash)).toBe('kept');
  });

  it('that was never here is told apart', async () => {
    await expect(temporary.objects.read(hashOf('never'))).rejects.toThrow('is no longer in the store');
  });

  it('of content that is not what was announced is refused, and nothing is left of it', async () => {
    await expect(temporary.objects.save(hashOf('this'), [Buffer.from('that')])).rejects.toThrow(
      'changed while',
    );
    expect(existsSync(imagePath('this'))).toBe(false);
    const scratch = readdirSync(join(folder(), 'pins')).filter((name) => name.endsWith('.scratch'));
    expect(scratch.flatMap((name) => readdirSync(join(folder(), 'pins', name)))).toEqual([]);
  });

  it('is for the owner only', async () => {
    await save(temporary.objects, 'secret');
    expect(statSync(folder()).mode & 0o777).toBe(0o700);
    expect(statSync(imagePath('secret')).mode & 0o777).toBe(0o600);
  });

  it('becomes a copy of its own when it is still shared with the file', async () => {
    const path = imagePath('first\n');
    mkdirSync(join(path, '..'), { recursive: true });
    linkSync(temporary.path('a.txt'), path);
    await temporary.objects.unshare(hashOf('first\n'));
    expect(statSync(temporary.path('a.txt')).nlink).toBe(1);
    expect(await textOf(temporary.objects, hashOf('first\n'))).toBe('first\n');
  });
});

describe('the quota', () => {
  const kilobyte = (letter: string) => letter.repeat(1024);

  it('lets the oldest go first, and only as many as needed', async () => {
    const past = storeOf('past');
    for (const letter of ['a', 'b', 'c', 'd']) {
      await save(past, kilobyte(letter));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await past.close();
    expect(await storeOf('now', 2048).evict(never)).toEqual({
      removed: 2,
      removedBytes: 2048,
      keptBytes: 2048,
    });
    const left = ['a', 'b', 'c', 'd'].filter((letter) => existsSync(imagePath(kilobyte(letter))));
    expect(left).toEqual(['c', 'd']);
  });

  it('counts an image that is used again as young', async () => {
    const past = storeOf('past');
    for (const letter of ['a', 'b', 'a']) {
      await save(past, kilobyte(letter));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await past.close();
    await storeOf('now', 1024).evict(never);
    expect(existsSync(imagePath(kilobyte('a')))).toBe(true);
    expect(existsSync(imagePath(kilobyte('b')))).toBe(false);
  });

  it('never takes from a living session, nor what is pinned by name', async () => {
    const living = storeOf('living');
    const ended = storeOf('ended');
    await save(living, kilobyte('a'));
    await save(ended, kilobyte('b'));
    const pinned = await save(ended, kilobyte('c'));
    await ended.close();
    expect(await storeOf('now', 0).evict(never, [pinned])).toMatchObject({ removed: 1, keptBytes: 2048 });
    expect(existsSync(imagePath(kilobyte('a')))).toBe(true);
    expect(existsSync(imagePath(kilobyte('c')))).toBe(true);
  });

  it('takes from a session whose process is dead, and removes what it left unfinished', async () => {
    const dead = storeOf('dead');
    await save(dead, kilobyte('a'));
    const pins = join(folder(), 'pins');
    const [name] = readdirSync(pins).filter((each) => each.startsWith('dead.') && !each.endsWith('.scratch'));
    const { pid } = spawnSync('true');
    const mark = JSON.parse(String(readFileSync(join(pins, name!), 'utf8').split('\n')[0])) as object;
    writeFileSync(join(pins, name!), `${JSON.stringify({ ...mark, pid })}\n${hashOf(kilobyte('a'))}\n`);
    writeFileSync(join(pins, `${name}.scratch`, 'half'), 'half of a copy');
    await storeOf('now', 0).evict(never);
    expect(existsSync(imagePath(kilobyte('a')))).toBe(false);
    expect(readdirSync(pins).filter((each) => each.startsWith('dead.'))).toEqual([]);
  });

  it('holds although someone cleared the pins away', async () => {
    const living = storeOf('living');
    await save(living, kilobyte('a'));
    rmSync(join(folder(), 'pins'), { recursive: true });
    await save(living, kilobyte('b'));
    expect(await storeOf('now', 0).evict(never)).toMatchObject({ removed: 0 });
  });

  it('takes nothing that a commit interrupted by a crash will need', async () => {
    await temporary.commit({ 'a.txt': 'second\n' });
    const intents = temporary.state.pathOf('intents', 'somewhere');
    mkdirSync(intents, { recursive: true });
    writeFileSync(join(intents, 'pending'), JSON.stringify({ v: 1, before: hashOf('first\n') }));
    await temporary.objects.close();
    const tight = temporary.another({ objects: storeOf('tight', 0) });
    await tight.tidy(never);
    expect(existsSync(imagePath('first\n'))).toBe(true);
    expect(existsSync(imagePath('second\n'))).toBe(false);
  });

  it('puts back what an eviction that was killed had set aside', async () => {
    await save(storeOf('living'), kilobyte('a'));
    renameSync(imagePath(kilobyte('a')), `${imagePath(kilobyte('a'))}.evicting`);
    const reader = storeOf('reader');
    expect(await textOf(reader, hashOf(kilobyte('a')))).toBe(kilobyte('a'));
    await storeOf('now', 0).evict(never);
    expect(existsSync(imagePath(kilobyte('a')))).toBe(true);
  });

  it('loses nothing to a save at the same moment', async () => {
    const texts = Array.from({ length: 30 }, (_, index) => kilobyte(String.fromCharCode(65 + index)));
    const past = storeOf('past');
    for (const text of texts) await save(past, text);
    await past.close();
    const living = storeOf('living');
    const [tight, tighter] = [storeOf('tight', 0), storeOf('tighter', 0)];
    await Promise.all([tight.evict(never), ...texts.map((text) => save(living, text)), tighter.evict(never)]);
    for (const text of texts) expect(await living.has(hashOf(text))).toBe(true);
  });
});
