import type { CommandWords, Effect } from '@toolwright/machine/base/effect.js';
import { describe, expect, test } from 'vitest';
import type { ApprovalMode } from './modes.js';
import { createPermission } from './permission.js';

const workspace = {
  directory: '/work',
  rootOf: (path: string) =>
    path.startsWith('/work') ? { path: '/work', access: 'write' as const } : undefined,
  show: (path: string) => path,
};

const push: CommandWords = ['git', 'push'];
const run = (unproven: CommandWords[], more: Partial<Effect & { kind: 'execute' }> = {}): Effect => ({
  kind: 'execute',
  command: 'x',
  directory: '/work',
  readOnly: unproven.length === 0,
  network: false,
  background: false,
  commands: unproven,
  unproven,
  offers: unproven.map((words) => words as string[]),
  ...more,
});
const reading = (path: string): Effect => ({ kind: 'outside', access: 'read', path });
const writing = (path: string): Effect => ({ kind: 'outside', access: 'write', path });
const agent: Effect = { kind: 'outside', access: 'ssh-agent' };
const reaching = (host: string): Effect => ({ kind: 'outside', access: 'host', host });

interface Asked {
  allow?: string[];
  deny?: string[];
  ask?: string[];
  mode?: ApprovalMode;
}

async function open({ allow = [], deny = [], ask = [], mode = 'default' }: Asked) {
  const rules = Object.entries({ allow, deny, ask }).flatMap(([verdict, texts]) =>
    texts.map((text) => ({ verdict: verdict as 'allow', text, source: 'test' })),
  );
  return createPermission({ mode, rules, workspace, home: '/home/me' });
}

async function decision(effects: Effect[], asked: Asked): Promise<string> {
  return (await open(asked)).decide({ tool: 'run_shell_command', effects }).decision;
}

describe('what a command is to reach outside', () => {
  test.each(['default', 'auto-edit', 'yolo'] as const)('is asked about in %s mode', async (mode) => {
    for (const effect of [reading('/srv/x'), writing('/srv/x'), agent, reaching('github.com')])
      expect(await decision([run([push]), effect], { mode, allow: ['Shell(git push)'] })).toBe('ask');
  });

  test('is denied in plan mode, whatever rules say', async () => {
    const allow = ['Shell(git push)', 'Outside(ssh-agent)'];
    expect(await decision([run([push]), agent], { mode: 'plan', allow })).toBe('deny');
  });

  test('is not allowed by a rule for the tool', async () => {
    expect(await decision([run([push]), agent], { mode: 'yolo', allow: ['run_shell_command'] })).toBe('ask');
  });
});

describe('a rule about the outside', () => {
  const cases: [effects: Effect[], allow: string[], expected: string][] = [
    [[agent], ['Outside(ssh-agent)'], 'allow'],
    [[agent], ['Outside(host github.com)'], 'ask'],
    [[reading('/home/me/.kube/config')], ['Outside(read ~/.kube/config)'], 'allow'],
    [[reading('/home/me/.kube/config')], ['Outside(read ~/.kube)'], 'allow'],
    [[reading('/home/me/.kube')], ['Outside(read ~/.kube/config)'], 'ask'],
    [[reading('/home/me/.kube/config')], ['Outside(write ~/.kube)'], 'allow'],
    [[writing('/home/me/.kube/config')], ['Outside(read ~/.kube)'], 'ask'],
    [[writing('/home/me/.gitconfig')], ['Outside(write ~/.gitconfig)'], 'allow'],
    [[reading('/srv/a/b.txt')], ['Outside(read /srv/**/*.txt)'], 'allow'],
    [[reaching('github.com')], ['Outside(host github.com)'], 'allow'],
    [[reaching('github.com:22')], ['Outside(host github.com)'], 'allow'],
    [[reaching('github.com:8443')], ['Outside(host github.com)'], 'ask'],
    [[reaching('github.com')], ['Outside(host github.com:443)'], 'ask'],
    [[reaching('api.github.com')], ['Outside(host *.github.com)'], 'allow'],
    [[agent, reaching('github.com')], ['Outside(ssh-agent)'], 'ask'],
    [[agent, reaching('github.com')], ['Outside(ssh-agent)', 'Outside(host github.com)'], 'allow'],
  ];
  test.each(cases)('decides about %j with %j: %s', async (effects, allow, expected) => {
    const all = [run([push]), ...effects];
    expect(await decision(all, { allow: [...allow, 'Shell(git push)'] })).toBe(expected);
    expect(await decision(all, { allow, mode: 'yolo' }), 'without a rule for the command').toBe('ask');
  });

  test('takes a rule for a harmless command, too, when that reads the place', async () => {
    const cat: CommandWords = ['cat', '/home/me/.ssh/id'];
    const line = run([push], { commands: [push, cat] });
    const effects = [line, reading('/home/me/.ssh'), { kind: 'read', path: '/home/me/.ssh/id' } as const];
    const allow = ['Shell(git push)', 'Outside(read ~/.ssh)'];
    expect(await decision(effects, { allow })).toBe('ask');
    expect(await decision(effects, { allow: [...allow, 'Shell(cat)'] })).toBe('allow');
    expect(await decision([line, reading('/home/me/.ssh')], { allow })).toBe('allow');
  });

  test('takes a rule for a harmless command, too, whose output goes to the place', async () => {
    const line = run([push], { commands: [push, ['echo', 'x']] });
    const written: Effect = { kind: 'write', path: '/srv/data/x', declared: 'by the way' };
    const allow = ['Shell(git push)', 'Outside(write /srv/data)'];
    expect(await decision([line, writing('/srv/data'), written], { allow, mode: 'yolo' })).toBe('ask');
    expect(await decision([line, writing('/srv/data')], { allow, mode: 'yolo' })).toBe('allow');
  });

  test('never counts for what goes on in the background', async () => {
    const allow = ['Shell(git push)', 'Outside(ssh-agent)'];
    expect(await decision([run([push], { background: true }), agent], { allow, mode: 'yolo' })).toBe('ask');
  });

  test.each([
    ['Outside(raed ~/x)', /begins with "raed"\. Did you mean read\?/],
    ['Outside(ssh-agent now)', /names something after ssh-agent/],
    ['Outside(read)', /names no path after read/],
    ['Outside(read notes.txt)', /names a path in the workspace\. Write the whole path/],
    ['Outside(host a b)', /names no host\. Write Outside\(host example\.com\)/],
    ['Outsid(ssh-agent)', /Did you mean Outside\?/],
  ])('that is written wrongly is a mistake: %s', async (text, message) => {
    await expect(open({ allow: [text] })).rejects.toThrow(message);
  });
});

describe('other rules that deny or ask', () => {
  test.each([
    [reading('/home/me/.ssh/id'), 'Read(~/.ssh/**)'],
    [writing('/home/me/.ssh/id'), 'Read(~/.ssh/**)'],
    [writing('/srv/a'), 'Edit(/srv/**)'],
    [reaching('evil.org'), 'Fetch(evil.org)'],
    [reaching('evil.org:22'), 'Outside(host evil.org)'],
    [writing('/srv/a'), 'Outside(read /srv)'],
    [agent, 'Outside(ssh-agent)'],
  ])('hold for %j: %s', async (effect, rule) => {
    const allow = [
      'Shell(git push)',
      'Outside(read /)',
      'Outside(write /)',
      'Outside(ssh-agent)',
      'Outside(host *.org)',
    ];
    expect(await decision([run([push]), effect], { allow, deny: [rule] })).toBe('deny');
    expect(await decision([run([push]), effect], { allow, ask: [rule] })).toBe('ask');
  });
});

test.each([
  ['Read(~/.ssh/**)', '/home/me', 'deny'],
  ['Read(/srv/**/*.pem)', '/srv/data', 'deny'],
  ['Read(/srv/**/*.pem)', '/opt', 'allow'],
  ['Read(.env)', '/srv/data', 'allow'],
  ['Edit(/srv/data/keep)', '/srv/data', 'deny'],
  ['Outside(read ~/.ssh)', '/home/me', 'deny'],
])('a folder in which %s may mean something is denied as a whole: %s', async (rule, path, expected) => {
  const effect: Effect = { kind: 'outside', access: 'write', path, folder: true };
  const allow = ['Shell(git push)', 'Outside(write /)'];
  expect(await decision([run([push]), effect], { allow, deny: [rule] })).toBe(expected);
});

describe('"always"', () => {
  test('offers exactly the rules it takes, together, and they hold from then on', async () => {
    const permission = await open({});
    const request = { tool: 'run_shell_command', effects: [run([push]), agent, reaching('github.com')] };
    const [offer, ...others] = permission.offers(request);
    expect(others).toEqual([]);
    expect(offer?.rules).toEqual(['Shell(git push)', 'Outside(ssh-agent)', 'Outside(host github.com)']);
    for (const rule of offer?.rules ?? []) permission.grant({ rule, scope: 'session' });
    expect(permission.decide(request).decision).toBe('allow');
    expect(permission.decide({ ...request, effects: [run([['rm']]), agent] }).decision).toBe('ask');
  });

  test('offers only what is missing', async () => {
    const permission = await open({ allow: ['Shell(git push)', 'Outside(ssh-agent)'] });
    const effects = [run([push]), agent, writing('/srv/a b')];
    expect(permission.offers({ tool: 'run_shell_command', effects }).map(({ rule }) => rule)).toEqual([
      'Outside(write /srv/a b)',
    ]);
  });
});
