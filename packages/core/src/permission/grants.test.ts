import type { Effect } from '@toolwright/machine/base/effect.js';
import { describe, expect, it } from 'vitest';
import { sourceOf } from './grants.js';
import { createPermission, type PermissionOptions } from './permission.js';

const workspace = {
  directory: '/work',
  rootOf: () => ({ path: '/work', access: 'write' as const }),
  show: (path: string) => path.replace('/work/', ''),
};
const effects: Effect[] = [{ kind: 'write', path: '/work/a' }];
const request = { tool: 'edit', effects };

async function opened(options: Partial<PermissionOptions> = {}) {
  let now = 1_000;
  const permission = await createPermission({
    mode: 'default',
    rules: [],
    workspace,
    now: () => now,
    ...options,
  });
  const useOne = async (): Promise<string> => {
    const decision = permission.decide(request);
    if (decision.decision !== 'allow') return decision.decision;
    return (await permission.spend(decision)) ? 'allow' : 'used up';
  };
  return { permission, useOne, wait: (ms: number) => (now += ms) };
}

describe('a yes for some calls', () => {
  it('is used up by as many, and looking costs nothing', async () => {
    const { permission, useOne } = await opened();
    permission.grant({ rule: 'Edit(a)', scope: 'session', uses: 2 });
    for (let times = 0; times < 5; times++) expect(permission.decide(request).decision).toBe('allow');
    expect([await useOne(), await useOne(), await useOne()]).toEqual(['allow', 'allow', 'ask']);
  });

  it('is not spent by a call that other rules allow', async () => {
    const { permission, useOne } = await opened({
      rules: [{ verdict: 'allow', text: 'Edit(a)', source: 's:1' }],
    });
    permission.grant({ rule: 'edit', scope: 'session', uses: 1 });
    await useOne();
    const other = { tool: 'edit', effects: [{ kind: 'write' as const, path: '/work/b' }] };
    expect(permission.decide(other)).toMatchObject({ decision: 'allow', spends: ['given-0'] });
  });

  it('is counted once for a call with several effects', async () => {
    const { permission } = await opened();
    permission.grant({ rule: 'edit', scope: 'session', uses: 2 });
    const both = { tool: 'edit', effects: [...effects, { kind: 'write' as const, path: '/work/b' }] };
    expect(permission.decide(both).spends).toEqual(['given-0']);
  });
});

describe('a yes for some time', () => {
  it('ends when the time is over', async () => {
    const { permission, useOne, wait } = await opened();
    permission.grant({ rule: 'Edit(a)', scope: 'session', untilMs: 2_000 });
    expect([await useOne(), await useOne()]).toEqual(['allow', 'allow']);
    wait(999);
    expect(await useOne()).toBe('allow');
    wait(1);
    expect(await useOne()).toBe('ask');
  });

  it('that ends between the decision and the call no longer counts', async () => {
    const { permission, wait } = await opened();
    permission.grant({ rule: 'Edit(a)', scope: 'session', untilMs: 2_000 });
    const decision = permission.decide(request);
    wait(5_000);
    expect(await permission.spend(decision)).toBe(false);
  });
});

describe('a yes of an earlier session', () => {
  it('is counted where every process sees it', async () => {
    const counted: string[] = [];
    const { useOne } = await opened({
      grants: [{ id: 'g1', rule: 'Edit(a)', uses: 2 }],
      useSaved: async (id) => counted.push(id) > 0,
    });
    expect([await useOne(), await useOne(), await useOne()]).toEqual(['allow', 'allow', 'ask']);
    expect(counted).toEqual(['g1', 'g1']);
  });

  it('that another process has used up no longer holds', async () => {
    const { useOne } = await opened({
      grants: [{ id: 'g1', rule: 'Edit(a)', uses: 5 }],
      useSaved: async () => false,
    });
    expect([await useOne(), await useOne()]).toEqual(['used up', 'ask']);
  });

  it('without a limit is never counted', async () => {
    const { useOne } = await opened({
      grants: [{ id: 'g1', rule: 'Edit(a)' }],
      useSaved: () => Promise.reject(new Error('counted')),
    });
    expect([await useOne(), await useOne()]).toEqual(['allow', 'allow']);
  });
});

describe('the rules that hold', () => {
  it('are the written ones and the remembered ones, with what is left of them', async () => {
    const { permission, useOne } = await opened({
      rules: [{ verdict: 'deny', text: 'Read(.env)', source: 's:1' }],
      grants: [{ id: 'g1', rule: 'Edit(b)' }],
    });
    permission.grant({ rule: 'Edit(a)', scope: 'session', uses: 2 });
    await useOne();
    expect(permission.rules).toEqual([
      { verdict: 'deny', text: 'Read(.env)', source: 's:1' },
      { verdict: 'allow', text: 'Edit(b)', source: 'granted and saved', grant: { id: 'g1', scope: 'saved' } },
      {
        verdict: 'allow',
        text: 'Edit(a)',
        source: 'granted for 2 calls',
        grant: { id: 'given-0', scope: 'session', uses: 1 },
      },
    ]);
  });

  it('no longer have one that was taken back, and the others stay', async () => {
    const { permission } = await opened({ grants: [{ id: 'g1', rule: 'Edit(a)' }] });
    permission.grant({ rule: 'Edit(b)', scope: 'session' });
    expect(permission.revoke('g1')).toMatchObject({ scope: 'saved' });
    expect(permission.revoke('g1')).toBeNull();
    expect(permission.decide(request).decision).toBe('ask');
    expect(permission.rules.map(({ text }) => text)).toEqual(['Edit(b)']);
    permission.grant({ rule: 'Edit(c)', scope: 'session' });
    expect(permission.rules.map(({ grant }) => grant?.id)).toEqual(['given-0', 'given-1']);
  });
});

it.each([
  [{ scope: 'session' as const }, 'granted for this session'],
  [{ scope: 'session' as const, uses: 10 }, 'granted for 10 calls'],
  [{ scope: 'saved' as const }, 'granted and saved'],
  [{ scope: 'saved' as const, untilMs: 0, uses: 1 }, 'granted for 1 call until 1970-01-01T00:00Z and saved'],
])('the grant %j comes from: %s', (grant, source) => {
  expect(sourceOf(grant)).toBe(source);
});
