import type { Effect } from '@toolwright/machine/base/effect.js';
import { createClock } from '@toolwright/machine/host/node-host.js';
import { describe, expect, it } from 'vitest';
import { command } from '../permission/fixtures/shell-effects.js';
import type { Grant } from '../permission/grants.js';
import { createCallBench } from '../testing/call-bench.js';
import { scriptedConfirm } from '../testing/scripted-confirm.js';
import { scriptedTool } from '../testing/scripted-tool.js';
import type { ConfirmationDetails } from '../tools/tools.js';
import { exactEffects } from './exact-effects.js';

const write = (path: string): Effect => ({ kind: 'write', path });
const staged = (path: string): Effect => ({ kind: 'write', path, staged: true });
const words = [
  ['npm', 'test'],
  ['npm', 'run', 'lint'],
];
const testAndLint = command(words, { offers: words });

/** A staged command that changed these files. */
function ranApart(...paths: string[]): ConfirmationDetails {
  return {
    kind: 'exec',
    title: 'Run',
    command: 'npm test && npm run lint',
    directory: '/work',
    effects: [{ ...testAndLint, staged: true }, ...paths.map(staged)],
  };
}

const shell = (...paths: string[]) =>
  scriptedTool('shell', { effects: [testAndLint], confirmation: ranApart(...paths) });

describe('a yes with a limit', () => {
  it('for some calls asks again when they are used up', async () => {
    const confirm = scriptedConfirm({ kind: 'always', rule: 'writer', scope: 'session', uses: 2 });
    const tool = scriptedTool('writer', { effects: [write('/work/a')] });
    const bench = await createCallBench({ tools: [tool], mode: 'default', confirm });
    const settled = await bench.run([['writer'], ['writer'], ['writer'], ['writer']]);
    expect(settled.map(({ error }) => error?.code ?? 'done')).toEqual(['done', 'done', 'done', 'denied']);
    expect(confirm.asked).toHaveLength(2);
  });

  it('for some time is kept with the time it ends', async () => {
    const given: Grant[] = [];
    const bench = await createCallBench({
      tools: [scriptedTool('writer', { effects: [write('/work/a')] })],
      mode: 'default',
      clock: { ...createClock(), now: () => 5_000 },
      confirm: scriptedConfirm({ kind: 'always', rule: 'Edit(a)', scope: 'saved', forMs: 1_000 }),
      more: { saveGrant: async (grant) => void given.push(grant) },
    });
    await bench.run([['writer']]);
    expect(given).toEqual([{ rule: 'Edit(a)', scope: 'saved', untilMs: 6_000 }]);
  });
});

describe('a lasting no', () => {
  const writing = (path: string) => scriptedTool('writer', { effects: [write(path)] });

  it('denies such calls until the session ends, without asking again, whatever other rules are put in force', async () => {
    const confirm = scriptedConfirm({ kind: 'cancel', reason: 'never', rule: 'Edit(a)' });
    const bench = await createCallBench({ tools: [writing('/work/a')], mode: 'default', confirm });
    await bench.run([['writer']]);
    await bench.permission.setRules([{ verdict: 'allow', text: 'writer', source: 'test' }]);
    bench.permission.mode = 'yolo';
    const [again] = await bench.run([['writer']]);
    expect(confirm.asked).toHaveLength(1);
    expect(again?.denied).toEqual({
      by: 'rule',
      reason: 'the rule Edit(a) (your no for this session) forbids writing a',
      brief: 'the rule Edit(a) (your no for this session) forbids it',
    });
    expect(bench.permission.decide({ tool: 'writer', effects: [write('/work/b')] }).decision).toBe('allow');
  });

  it('is offered for a protected path, where a lasting yes is not', async () => {
    const confirm = scriptedConfirm();
    const bench = await createCallBench({ tools: [writing('/work/.npmrc')], mode: 'default', confirm });
    await bench.run([['writer']]);
    expect(confirm.asked[0]).toMatchObject({ offers: [], never: { rule: 'Edit(.npmrc)' } });
  });

  it('is refused where it was not offered', async () => {
    const confirm = scriptedConfirm({ kind: 'cancel', rule: 'Edit(**)' });
    const bench = await createCallBench({ tools: [writing('/work/a')], mode: 'default', confirm });
    const [settled] = await bench.run([['writer']]);
    expect(settled?.denied).toMatchObject({
      by: 'confirm',
      reason: "confirm gave an answer that can't be used: the rule Edit(**) was not offered",
    });
  });
});

describe('a yes to a compound command', () => {
  it('grants one rule for each command, and the next run with changes is not asked about', async () => {
    const given: Grant[] = [];
    const confirm = scriptedConfirm({
      kind: 'always',
      rule: 'Shell(npm test) and Shell(npm run lint)',
      scope: 'saved',
    });
    const bench = await createCallBench({
      tools: [shell('/work/out')],
      mode: 'default',
      confirm,
      more: { saveGrant: async (grant) => void given.push(grant) },
    });
    const settled = await bench.run([['shell'], ['shell']]);
    expect(settled.map(({ error }) => error)).toEqual([undefined, undefined]);
    expect(given.map(({ rule }) => rule)).toEqual(['Shell(npm test)', 'Shell(npm run lint)']);
    expect(confirm.asked).toHaveLength(1);
  });
});

describe('the journal', () => {
  it('keeps every decision with the rule or mode that won and what was found since the call began', async () => {
    const bench = await createCallBench({
      tools: [
        shell('/work/out'),
        scriptedTool('reader', { effects: [{ kind: 'read', path: '/work/.env' }] }),
      ],
      mode: 'default',
      rules: [
        { verdict: 'allow', text: 'Shell(npm)', source: 's:1' },
        { verdict: 'deny', text: 'Read(.env)', source: 's:2' },
      ],
    });
    await bench.run([['shell'], ['reader']]);
    const decisions = bench.records.filter(({ type }) => type === 'call-decision');
    expect(decisions).toEqual([
      {
        type: 'call-decision',
        callId: expect.any(String),
        decision: 'allow',
        reason: 'the rule Shell(npm) (s:1) allows running npm test && npm run lint',
        winner: { kind: 'rule', rule: 'Shell(npm)', verdict: 'allow', source: 's:1' },
        effects: [{ ...testAndLint, staged: true }, staged('/work/out')],
      },
      {
        type: 'call-decision',
        callId: expect.any(String),
        decision: 'deny',
        reason: 'the rule Read(.env) (s:2) forbids reading .env',
        winner: { kind: 'rule', rule: 'Read(.env)', verdict: 'deny', source: 's:2' },
      },
    ]);
  });

  it('keeps a denial of what a plan found, too', async () => {
    const bench = await createCallBench({
      tools: [shell('/work/vendor/x')],
      rules: [{ verdict: 'deny', text: 'Edit(vendor)', source: 's:1' }],
    });
    const [settled] = await bench.run([['shell']]);
    expect(settled?.denied?.by).toBe('rule');
    expect(bench.records.find(({ type }) => type === 'call-decision')).toMatchObject({
      decision: 'deny',
      winner: { rule: 'Edit(vendor)' },
      effects: [{ kind: 'execute' }, staged('/work/vendor/x')],
    });
  });
});

describe('the exact effects', () => {
  it.each<[string, Effect[] | undefined, Effect[], Effect[] | undefined]>([
    [
      'replace declared commands and changes',
      [testAndLint, write('/w/a')],
      [staged('/w/b')],
      [staged('/w/b')],
    ],
    ['mark a change that the command line names', [write('/w/a')], [staged('/w/a')], [write('/w/a')]],
    ['mark a change below a folder that it names', [write('/w/d')], [staged('/w/d/x')], [write('/w/d/x')]],
    ['leave a neighbour of it', [write('/w/d')], [staged('/w/dx')], [staged('/w/dx')]],
    ['keep declared reads', [{ kind: 'read', path: '/w/a' }], [], [{ kind: 'read', path: '/w/a' }]],
    ['are unknown where nothing is known', undefined, [], undefined],
    ['are what was found where nothing was declared', undefined, [write('/w/a')], [write('/w/a')]],
  ])('%s', (_name, declared, found, expected) => {
    expect(exactEffects(declared, found)).toEqual(expected);
  });
});
