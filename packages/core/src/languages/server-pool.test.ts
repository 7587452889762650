import type { Profile } from '@toolwright/machine/host/sandbox/sandbox.js';
import { createTempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { expect, it } from 'vitest';
import type { Language } from './known-servers.js';
import { createServerPool, type PoolNeeds } from './server-pool.js';

const { signal } = new AbortController();
const language: Language = {
  name: 'Test',
  endings: { '.test': 'test' },
  candidates: [{ program: 'test-server', of: 'machine', args: [] }],
};

/** A pool whose sandbox confines nothing, or whose processes can't be started; `profiles` gets what each start asked of the sandbox. */
function openPool({ isConfined = false } = {}) {
  const temp = createTempWorkspace({ content: { 'bin/test-server': '' } });
  const profiles: Profile[] = [];
  const said: string[] = [];
  const ended: string[] = [];
  const log = { error: () => undefined } as unknown as PoolNeeds['host']['log'];
  const pool = createServerPool({
    host: { log, workspace: { roots: [] } } as unknown as PoolNeeds['host'],
    openProcesses: () => ({
      start: () => Promise.reject(new Error('no processes left')),
      end: async ({ kind }) => void ended.push(kind),
    }),
    sandbox: {
      state: async () => ({ confined: true }) as Awaited<ReturnType<PoolNeeds['sandbox']['state']>>,
      confine(launch, profile) {
        profiles.push(profile);
        if (!isConfined) throw new Error('no sandbox today');
        return { launch, release: async () => void ended.push('released') } as never;
      },
    },
    hiddenPaths: async () => [],
    state: { make: async () => temp.outside },
    environment: { PATH: temp.path('bin') },
    trusted: false,
    viewFolder: () => '',
    options: {},
    say: (sentence) => void said.push(sentence),
  });
  const use = () => pool.use({ language, root: temp.outside }, async () => 'used', signal);
  return {
    use,
    profiles,
    said,
    ended,
    async [Symbol.asyncDispose]() {
      await pool.close();
      await temp.cleanup();
    },
  };
}

it('a server that two ask for at once is started once', async () => {
  await using pool = openPool();
  const both = await Promise.allSettled([pool.use(), pool.use()]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(pool.profiles).toHaveLength(1);
  expect(pool.said).toEqual([
    expect.stringMatching(
      /^The language server .*test-server could not be started, so errors in Test are not reported: no sandbox today$/,
    ),
  ]);
});

it('a server that the sandbox did not take is started anew when it is asked for again', async () => {
  await using pool = openPool();
  await expect(pool.use()).rejects.toThrow('no sandbox today');
  await expect(pool.use()).rejects.toThrow('no sandbox today');
  expect(pool.profiles).toHaveLength(2);
});

it('a server whose process can not be started leaves nothing that watches over it', async () => {
  await using pool = openPool({ isConfined: true });
  await expect(pool.use()).rejects.toThrow('no processes left');
  expect(pool.ended.toSorted()).toEqual(['released', 'shutdown']);
});
