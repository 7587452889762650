import { chmodSync, chownSync, readdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { tempFolder } from '../../base/fixtures/temp-folder.js';
import { openCachedJson } from './cached-json.js';
import { openStateFolder } from './state-folder.js';

let base: string;
beforeEach(() => {
  base = tempFolder();
});

const isRoot = process.geteuid?.() === 0;
const places = ['cache', 'cache/tool-files', 'the file'];

async function kept() {
  const state = openStateFolder(join(base, 'state'));
  const cache = openCachedJson(state, 'tool-files', 'key');
  await cache.write({ code: 'ours' });
  const file = join('cache/tool-files', readdirSync(state.pathOf('cache', 'tool-files'))[0]!);
  return { cache, placeOf: (name: string) => state.pathOf(name === 'the file' ? file : name) };
}

describe('a value kept in the cache', () => {
  it('is read again', async () => {
    const { cache } = await kept();
    expect(await cache.read()).toMatchObject({ code: 'ours' });
  });

  it.runIf(isRoot).each(places)('is not believed when %s belongs to somebody else', async (name) => {
    const { cache, placeOf } = await kept();
    chownSync(placeOf(name), 65_534, 65_534);
    expect(await cache.read()).toBeNull();
  });

  it.each(places)('is not believed when others may write %s', async (name) => {
    const { cache, placeOf } = await kept();
    chmodSync(placeOf(name), 0o722);
    expect(await cache.read()).toBeNull();
  });

  it.each(places)('is not believed when %s is a link', async (name) => {
    const { cache, placeOf } = await kept();
    renameSync(placeOf(name), join(base, 'elsewhere'));
    symlinkSync(join(base, 'elsewhere'), placeOf(name));
    expect(await cache.read()).toBeNull();
  });
});
