import type { Effect } from '@toolwright/machine/base/effect.js';
import { describe, expect, it } from 'vitest';
import type { ApprovalMode } from './modes.js';
import { createPermission } from './permission.js';
import type { RuleText, Verdict } from './rules.js';

const workspace = {
  directory: '/work/app',
  rootOf: (path: string) =>
    path.startsWith('/work/app') ? { path: '/work/app', access: 'write' as const } : undefined,
  show: (path: string) => path.replace('/work/app/', ''),
};

function rules(lists: Partial<Record<Verdict, string[]>>): RuleText[] {
  return (['allow', 'ask', 'deny'] as const).flatMap((verdict) =>
    (lists[verdict] ?? []).map((text, index) => ({ verdict, text, source: `settings.json:${index + 1}` })),
  );
}

function permission(mode: ApprovalMode, lists: Partial<Record<Verdict, string[]>> = {}) {
  return createPermission({ mode, rules: rules(lists), workspace, home: '/home/me' });
}

const read: Effect = { kind: 'read', path: '/work/app/src/a.ts' };
const write: Effect = { kind: 'write', path: '/work/app/src/a.ts' };
const remove: Effect = { kind: 'delete', path: '/work/app/src/a.ts' };
const hook: Effect = { kind: 'write', path: '/work/app/.git/hooks/pre-commit' };
const shell: Effect = {
  kind: 'execute',
  command: 'make',
  directory: '/work/app',
  readOnly: false,
  network: false,
  background: false,
  commands: null,
};
const fetch: Effect = { kind: 'network', host: 'example.com', port: 443, url: 'https://example.com/' };
const mcp: Effect = { kind: 'mcp', server: 'files', tool: 'query' };
const memory = (scope: 'global' | 'project'): Effect => ({
  kind: 'memory',
  scope,
  path: `/work/app/${scope}.md`,
});

describe('the mode table', () => {
  it.each<[string, Effect[] | undefined, Verdict, Verdict, Verdict, Verdict]>([
    ['reading', [read], 'allow', 'allow', 'allow', 'allow'],
    ['a read-only command', [{ ...shell, readOnly: true }], 'allow', 'allow', 'allow', 'allow'],
    ['writing', [write], 'deny', 'ask', 'allow', 'allow'],
    ['deleting', [remove], 'deny', 'ask', 'allow', 'allow'],
    ['project memory', [memory('project')], 'deny', 'ask', 'allow', 'allow'],
    ['global memory', [memory('global')], 'deny', 'ask', 'ask', 'allow'],
    ['a protected path', [hook], 'deny', 'ask', 'ask', 'ask'],
    ['another command', [shell], 'allow', 'ask', 'allow', 'allow'],
    ['a command with network', [{ ...shell, network: true }], 'deny', 'ask', 'ask', 'allow'],
    ['a background command', [{ ...shell, background: true, commands: null }], 'deny', 'ask', 'ask', 'allow'],
    ['a fetch', [fetch], 'ask', 'ask', 'ask', 'allow'],
    ['an MCP tool', [mcp], 'deny', 'ask', 'ask', 'allow'],
    ['an unknown effect', undefined, 'deny', 'ask', 'ask', 'allow'],
    ['no effect at all', [], 'allow', 'allow', 'allow', 'allow'],
    ['the strictest of several', [read, write, hook], 'deny', 'ask', 'ask', 'ask'],
  ])('decides about %s', async (_name, effects, ...expected) => {
    const found: Verdict[] = [];
    for (const mode of ['plan', 'default', 'auto-edit', 'yolo'] as const) {
      found.push((await permission(mode)).decide({ tool: 't', effects }).decision);
    }
    expect(found).toEqual(expected);
  });
});

describe('a command that the user lets run without a sandbox', () => {
  const unconfined = { ...shell, commands: [['make']], unconfined: 'chosen' } as Effect & { kind: 'execute' };

  it.each<[string, Partial<Record<Verdict, string[]>>, Partial<typeof unconfined>, Verdict]>([
    ['runs in yolo mode', {}, {}, 'allow'],
    ['is asked about where a rule denies reading', { deny: ['Read(.env)'] }, {}, 'ask'],
    ['is asked about where a rule asks before reading', { ask: ['Read(.env)'] }, {}, 'ask'],
    ['runs where its changes are looked at before they are kept', { deny: ['Edit(a)'] }, {}, 'allow'],
    ['in the background is asked about then', { deny: ['Edit(a)'] }, { background: true }, 'ask'],
    ['runs where a rule allows it', { deny: ['Read(.env)'], allow: ['Shell(make)'] }, {}, 'allow'],
    ['runs where it is proven to only read', { deny: ['Read(.env)'] }, { readOnly: true }, 'allow'],
    ['runs where the user typed it', { deny: ['Read(.env)'] }, { own: true, network: true }, 'allow'],
    ['runs where a sandbox holds it', { deny: ['Read(.env)'] }, { unconfined: undefined }, 'allow'],
  ])('%s', async (_name, lists, more, expected) => {
    const { decide } = await permission('yolo', lists);
    const { decision, reason } = decide({ tool: 't', effects: [{ ...unconfined, ...more } as Effect] });
    expect(decision).toBe(expected);
    if (expected === 'ask')
      expect(reason).toMatch(/nothing confines it, so the rules about files could not be enforced/);
  });
});

describe('rules', () => {
  it.each<[string, ApprovalMode, Partial<Record<Verdict, string[]>>, Effect[] | undefined, Verdict]>([
    [
      'deny beats ask and allow',
      'yolo',
      { allow: ['Edit(src/**)'], ask: ['Edit(src/**)'], deny: ['Edit(src/a.ts)'] },
      [write],
      'deny',
    ],
    ['ask beats allow', 'yolo', { allow: ['Edit(src/**)'], ask: ['Edit(src/a.ts)'] }, [write], 'ask'],
    ['an ask rule asks in auto-edit', 'auto-edit', { ask: ['Edit(**)'] }, [write], 'ask'],
    ['an ask rule does not open plan mode', 'plan', { ask: ['Edit(**)'] }, [write], 'deny'],
    ['an allow rule does not open plan mode', 'plan', { allow: ['Edit(**)'] }, [write], 'deny'],
    ['an allow rule opens a foreign tool in plan mode', 'plan', { allow: ['Mcp(files)'] }, [mcp], 'allow'],
    ['a deny rule denies in yolo', 'yolo', { deny: ['Read(src)'] }, [read], 'deny'],
    ['a folder covers its content', 'default', { allow: ['Edit(src)'] }, [write], 'allow'],
    ['a folder does not cover its neighbour', 'default', { allow: ['Edit(sr)'] }, [write], 'ask'],
    [
      'one star stays in one folder',
      'default',
      { allow: ['Edit(*)'] },
      [{ kind: 'write', path: '/work/app/a' }],
      'allow',
    ],
    [
      'dot files are matched',
      'default',
      { allow: ['Edit(**)'] },
      [{ kind: 'write', path: '/work/app/.env' }],
      'allow',
    ],
    ['an absolute pattern', 'default', { allow: ['Edit(/work/app/src/*.ts)'] }, [write], 'allow'],
    [
      'a home pattern',
      'default',
      { deny: ['Read(~/.ssh)'] },
      [{ kind: 'read', path: '/home/me/.ssh/id' }],
      'deny',
    ],
    ['no rule reaches a protected path', 'yolo', { allow: ['Edit(**)', 'write_file', 't'] }, [hook], 'ask'],
    ['a bare tool name', 'default', { allow: ['t'] }, [write], 'allow'],
    ['a bare tool name for an unknown effect', 'default', { allow: ['t'] }, undefined, 'allow'],
    ['a bare tool name denies', 'yolo', { deny: ['t'] }, [], 'deny'],
    [
      'every effect must be covered',
      'default',
      { allow: ['Edit(src/a.ts)'] },
      [write, { kind: 'write', path: '/work/app/b' }],
      'ask',
    ],
    ['an exact host', 'default', { allow: ['Fetch(example.com)'] }, [fetch], 'allow'],
    [
      'an exact host is not its sub-domain',
      'default',
      { allow: ['Fetch(example.com)'] },
      [{ ...fetch, host: 'a.example.com' }],
      'ask',
    ],
    ['sub-domains are not the host', 'default', { allow: ['Fetch(*.example.com)'] }, [fetch], 'ask'],
    [
      'sub-domains',
      'default',
      { allow: ['Fetch(*.example.com)'] },
      [{ ...fetch, host: 'a.b.example.com' }],
      'allow',
    ],
    [
      'a look-alike ending',
      'default',
      { allow: ['Fetch(*.example.com)'] },
      [{ ...fetch, host: 'badexample.com' }],
      'ask',
    ],
    [
      'an unusual port must be named',
      'default',
      { allow: ['Fetch(example.com)'] },
      [{ ...fetch, port: 8080 }],
      'ask',
    ],
    ['a named port', 'default', { allow: ['Fetch(example.com:8080)'] }, [{ ...fetch, port: 8080 }], 'allow'],
    ['one tool of a server', 'default', { allow: ['Mcp(files/query)'] }, [mcp], 'allow'],
    ['another tool of the server', 'default', { allow: ['Mcp(files/write)'] }, [mcp], 'ask'],
    ['verbs only see their own kind', 'default', { allow: ['Read(**)'] }, [write], 'ask'],
  ])('decide about effects: %s', async (_name, mode, lists, effects, expected) => {
    expect((await permission(mode, lists)).decide({ tool: 't', effects }).decision).toBe(expected);
  });

  it.each([
    ['read(x)', /unknown verb read .*Did you mean Read\?/],
    ['Write(x)', /unknown verb Write/],
    ['Edit()', /empty pattern/],
    ['Edit(', /is not a rule/],
    ['Shell', /is not a rule/],
    ['two words', /is not a rule/],
  ])('%s is a mistake, named with its place', async (text, message) => {
    await expect(permission('default', { allow: [text] })).rejects.toThrow(message);
    await expect(permission('default', { allow: [text] })).rejects.toThrow(/settings\.json:1/);
  });

  it('says which rule won and where it came from', async () => {
    const decision = (await permission('default', { allow: ['Edit(docs)', 'Edit(src)'] })).decide({
      tool: 't',
      effects: [write],
    });
    expect(decision).toMatchObject({
      winner: { kind: 'rule', rule: 'Edit(src)', source: 'settings.json:2' },
      reason: 'the rule Edit(src) (settings.json:2) allows writing src/a.ts',
      considered: [
        { rule: 'Edit(docs)', matched: false },
        { rule: 'Edit(src)', matched: true },
      ],
    });
  });
});

it.each([
  ['package.json', 'default mode asks before writing package.json (other programs run what is in it)'],
  ['a.txt', 'default mode asks before writing a.txt'],
  ['.envrc', 'default mode asks before writing .envrc (a protected path is always asked about)'],
])('the reason for a question about %s says what the user should know', async (name, reason) => {
  const effects: Effect[] = [{ kind: 'write', path: `/work/app/${name}` }];
  expect((await permission('default')).decide({ tool: 't', effects }).reason).toBe(reason);
});

describe('offers', () => {
  it('are exactly the rules that would allow the call, narrowest first', async () => {
    const offers = (await permission('default')).offers({ tool: 'edit', effects: [write] });
    expect(offers.map(({ rule }) => rule)).toEqual(['Edit(src/a.ts)', 'Edit(src/**)', 'edit']);
  });

  it('name a tool of a server once, and its server', async () => {
    const offers = (await permission('default')).offers({ tool: 'files__query', effects: [mcp] });
    expect(offers.map(({ rule }) => rule)).toEqual(['Mcp(files/query)', 'Mcp(files)']);
  });

  it('are none for a protected path', async () => {
    expect((await permission('default')).offers({ tool: 'edit', effects: [hook] })).toEqual([]);
  });

  it('are none against an ask rule, which always asks', async () => {
    expect(
      (await permission('default', { ask: ['Edit(src)'] })).offers({ tool: 'edit', effects: [write] }),
    ).toEqual([]);
  });

  it('take special characters of a file name literally', async () => {
    const odd: Effect = { kind: 'write', path: '/work/app/src/[id]/(page)*.ts' };
    const asked = await permission('default');
    const offer = asked.offers({ tool: 'edit', effects: [odd] })[0]!;
    const saved = await permission('default', { allow: [offer.rule] });
    expect(saved.decide({ tool: 'edit', effects: [odd] }).decision).toBe('allow');
    const other: Effect = { kind: 'write', path: '/work/app/src/i/page1.ts' };
    expect(saved.decide({ tool: 'edit', effects: [other] }).decision).toBe('ask');
  });

  it('once granted are remembered for the session', async () => {
    const asked = await permission('default');
    asked.grant({ rule: 'Edit(src/**)', scope: 'session' });
    expect(asked.decide({ tool: 'edit', effects: [write] })).toMatchObject({
      decision: 'allow',
      winner: { source: 'granted for this session' },
    });
    expect(asked.decide({ tool: 'edit', effects: [{ kind: 'write', path: '/work/app/b' }] }).decision).toBe(
      'ask',
    );
  });
});

it('permission refuses a real path for which a deny rule stands', async () => {
  const { refusal } = await permission('yolo', { deny: ['Read(**/.env)', 'Edit(vendor)'] });
  expect(refusal('read', '/work/app/a/.env')).toBe(
    'The rule Read(**/.env) (settings.json:1) forbids reading a/.env.',
  );
  expect(refusal('write', '/work/app/a/.env')).toBeNull();
  expect(refusal('write', '/work/app/vendor/x/y')).toMatch(/Edit\(vendor\)/);
  expect(refusal('read', '/work/app/vendor/x')).toBeNull();
});

it('permission withholds what a rule asks about from whoever can not ask', async () => {
  const { refusal, refusalWithoutAsking, hides } = await permission('yolo', {
    ask: ['Read(a)'],
    deny: ['Read(b)'],
  });
  expect(refusal('read', '/work/app/a/x')).toBeNull();
  expect(refusalWithoutAsking('read', '/work/app/a/x')).toBe(
    'The rule Read(a) (settings.json:1) asks before reading a/x.',
  );
  expect(refusalWithoutAsking('read', '/work/app/b/x')).toMatch(/forbids reading b\/x/);
  expect(refusalWithoutAsking('write', '/work/app/a/x')).toBeNull();
  expect([
    hides('/work/app/a/x'),
    hides('/work/app/a/x', '/work/app'),
    hides('/work/app/a/x', '/work/app/a'),
  ]).toEqual([false, true, false]);
});

it('permission looks anew at what is protected here only before a file may be changed', async () => {
  let looks = 0;
  const { refreshCodeInUse } = await createPermission({
    mode: 'default',
    rules: [],
    workspace,
    refreshCodeInUse: async () => void (looks += 1),
  });
  const looksFor = async (...effects: Effect[]) => {
    looks = 0;
    await refreshCodeInUse({ tool: 'tool', effects });
    return looks;
  };
  const harmless: Effect[] = [read, { ...shell, readOnly: true }, fetch, mcp];
  expect(await looksFor(...harmless)).toBe(0);
  for (const effect of [write, remove, shell, memory('project')])
    expect(await looksFor(...harmless, effect)).toBe(1);
});

it('other written rules count everywhere at once, also where somebody holds on to a function; grants stay', async () => {
  const made = await permission('default', { deny: ['Read(src/**)'], allow: ['Shell(make)'] });
  const { refusal, hides, refusalWithoutAsking, namesHost } = made;
  made.grant({ rule: 'Fetch(example.com)', scope: 'session' });
  const path = '/work/app/src/a.ts';
  expect([refusal('read', path) === null, hides(path), made.unreadable.patterns]).toEqual([
    false,
    true,
    false,
  ]);
  await made.setRules(
    rules({ ask: ['Read(*.md)'], allow: ['Fetch(wiki.internal)'], deny: ['Edit(src/*.ts)'] }),
  );
  expect([refusal('read', path), hides(path), made.unreadable.patterns]).toEqual([null, false, true]);
  expect(refusal('write', path)).toContain('Edit(src/*.ts)');
  expect(refusalWithoutAsking('read', '/work/app/a.md')).toContain('Read(*.md)');
  expect(namesHost('wiki.internal', 443)).toBe(true);
  expect(made.decide({ tool: 't', effects: [shell] }).decision).toBe('ask');
  expect(made.decide({ tool: 't', effects: [write] }).decision).toBe('deny');
  expect(made.decide({ tool: 't', effects: [fetch] }).decision).toBe('allow');
});

it('a rule that can not be understood changes nothing', async () => {
  const made = await permission('default', { deny: ['Edit(src/*.ts)'] });
  await expect(made.setRules(rules({ allow: ['Edit(src/*.ts)', 'Burn(house)'] }))).rejects.toThrow('Burn');
  expect(made.decide({ tool: 't', effects: [write] }).decision).toBe('deny');
});
