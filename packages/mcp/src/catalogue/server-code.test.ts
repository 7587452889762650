import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClock, createIds } from '@toolwright/machine/host/node-host.js';
import { openState } from '@toolwright/machine/host/state/state.js';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openCatalogue } from './catalogue.js';
import { config, type FakeServer, fakeNeeds, fakeServer, tool } from './fixtures/fake-server.js';
import type { ServedServer } from './served-server.js';
import type { OtherCode } from './start-consent.js';

let base: string;
let server: FakeServer;
let asked: OtherCode[];
const { signal } = new AbortController();
const work = (name: string): string => join(base, 'work', name);

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'toolwright-server-code-')));
  mkdirSync(work(''));
  writeFileSync(work('server.js'), "import './part.js'");
  writeFileSync(work('part.js'), '1');
  server = fakeServer([tool('read')]);
  asked = [];
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

/** A session of its own each time; what was agreed to is kept between them. */
async function session(answer?: (other: OtherCode) => boolean): Promise<ServedServer> {
  const state = openState({ path: join(base, 'state'), host: { clock: createClock(), ids: createIds() } });
  const catalogue = await openCatalogue({
    servers: [{ config: config('mail'), place: '' }],
    state,
    needs: fakeNeeds(work('')),
    openSession: server.openSession,
    path: '/usr/bin',
    roots: () => [join(base, 'work')],
    onTools: async () => undefined,
    say: () => undefined,
    ...(answer
      ? {
          onOtherCode: async (other: OtherCode) => {
            asked.push(other);
            return answer(other);
          },
        }
      : {}),
  });
  return catalogue.find('mail')!;
}

const start = async (served: ServedServer): Promise<string> =>
  served.call('read', {}, { signal }).then(
    () => 'ran',
    (error: Error) => error.message,
  );

it('what a server runs in the workspace is agreed to with its first start, and asked about when it is another', async () => {
  expect(await start(await session(() => false))).toBe('ran');
  expect(await start(await session(() => false))).toBe('ran');
  expect(asked).toEqual([]);
  writeFileSync(work('part.js'), '2');
  expect(await start(await session(() => true))).toBe('ran');
  expect(asked.map(({ changes }) => changes)).toEqual([[{ path: work('part.js'), change: 'changed' }]]);
  expect(await start(await session(() => false))).toBe('ran');
  expect(asked).toHaveLength(1);
});

it('a no is kept for the session, and holds for that change only', async () => {
  await (await session()).refresh(signal);
  writeFileSync(work('part.js'), '2');
  const served = await session(() => false);
  const refused = `The MCP server "mail" was not started: what it runs is not what you agreed to: ${work('part.js')} (changed). Look at it; if it is right: toolwright mcp accept mail`;
  expect(await start(served)).toBe(refused);
  expect(await start(served)).toBe(refused);
  expect(asked).toHaveLength(1);
  writeFileSync(work('part.js'), '1');
  expect((await served.otherCode(signal))?.changes ?? []).toEqual([]);
});

it('nobody to ask is a no, and what changes while somebody reads is not agreed to', async () => {
  await (await session()).refresh(signal);
  writeFileSync(work('part.js'), '2');
  const opened = server.opened;
  expect(await start(await session())).toMatch(/part\.js \(changed\)/);
  const sly = await session(() => {
    writeFileSync(work('part.js'), '3');
    return true;
  });
  expect(await start(sly)).toMatch(/part\.js \(changed\)/);
  expect(server.opened).toBe(opened);
});

it('a file that is imported from now on, and one that is gone, are changes', async () => {
  await (await session()).refresh(signal);
  writeFileSync(work('server.js'), "import './more.js'");
  writeFileSync(work('more.js'), '');
  const other = await (await session()).otherCode(signal);
  expect(other?.changes).toEqual([
    { path: work('more.js'), change: 'new' },
    { path: work('part.js'), change: 'gone' },
    { path: work('server.js'), change: 'changed' },
  ]);
  const accepting = await session();
  await accepting.acceptCode(other!);
  expect(await start(accepting)).toBe('ran');
});
