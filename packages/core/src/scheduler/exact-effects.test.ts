import type { Effect } from '@toolwright/machine/base/effect.js';
import { describe, expect, it } from 'vitest';
import { command } from '../permission/fixtures/shell-effects.js';
import type { RuleText } from '../permission/rules.js';
import { createCallBench } from '../testing/call-bench.js';
import { scriptedConfirm } from '../testing/scripted-confirm.js';
import { scriptedTool } from '../testing/scripted-tool.js';
import type { ConfirmationDetails } from '../tools/tools.js';
import { effectsOfPlan, leftOutEffects } from './exact-effects.js';

const write = (path: string): Effect => ({ kind: 'write', path });
const read = (path: string): Effect => ({ kind: 'read', path });
const make = command([['make']]);
const info = (...effects: Effect[]): ConfirmationDetails => ({
  kind: 'info',
  prompt: 'Sure?',
  urls: [],
  effects,
});
const edit = (path: string | null, ...effects: Effect[]): ConfirmationDetails => ({
  kind: 'edit',
  title: 'Edit',
  diff: {
    kind: 'diff',
    files: path === null ? [] : [{ path, change: 'modify', unified: '', added: 1, removed: 0 }],
  },
  effects,
});
const exec = (...effects: Effect[]): ConfirmationDetails => ({
  kind: 'exec',
  command: 'make',
  directory: '/work',
  effects,
});

describe('a question whose details leave out what the tool declares', () => {
  const asking: RuleText = { verdict: 'ask', text: 'Edit(src)', source: 'test' };
  it.each<[string, Effect, ConfirmationDetails, { mode: 'default' | 'auto-edit'; rules?: RuleText[] }]>([
    ['in default mode', write('/work/src/a.ts'), info(), { mode: 'default' }],
    ['in default mode, with a read', write('/work/src/a.ts'), info(read('/work/b')), { mode: 'default' }],
    ['in default mode, as an edit', write('/work/src/a.ts'), edit(null), { mode: 'default' }],
    ['about a command', make, info(), { mode: 'default' }],
    ['about a command, as one', make, exec(), { mode: 'default' }],
    ['past a rule that asks', write('/work/src/a.ts'), info(), { mode: 'auto-edit', rules: [asking] }],
    ['about a protected path', write('/work/.git/hooks/pre-commit'), info(), { mode: 'auto-edit' }],
  ])('is asked all the same, %s', async (_, declared, details, options) => {
    const runs: unknown[] = [];
    const tool = scriptedTool('sender', {
      effects: [declared],
      confirmation: details,
      run: async (params) => {
        runs.push(params);
        return { llmContent: 'done', returnDisplay: 'done' };
      },
    });
    const confirm = scriptedConfirm({ kind: 'cancel' });
    const bench = await createCallBench({ tools: [tool], confirm, ...options });
    await bench.run([['sender']]);
    expect([confirm.asked.length, runs]).toEqual([1, []]);
  });

  it('is not asked where a rule denies what is left out', async () => {
    const rules: RuleText[] = [{ verdict: 'deny', text: 'Edit(src)', source: 'test' }];
    const tool = scriptedTool('sender', { effects: [write('/work/src/a.ts')], confirmation: info() });
    const bench = await createCallBench({ tools: [tool], mode: 'yolo', rules });
    const [settled] = await bench.run([['sender']]);
    expect(settled?.denied?.by).toBe('rule');
  });
});

describe('the effects of a plan', () => {
  const declared = [write('/w/a'), write('/w/b')];
  it.each<[string, Effect[] | undefined, ConfirmationDetails, boolean, Effect[] | undefined]>([
    ['replace declared changes', declared, edit('b', write('/w/b')), false, [write('/w/b')]],
    ['are none where a tool of ours found none', declared, edit(null), true, []],
    [
      'stand beside declared ones in words of another kind',
      declared,
      info(write('/w/c')),
      true,
      [...declared, write('/w/c')],
    ],
    ['leave declared ones where a diff comes without them', declared, edit('b'), true, declared],
    ['leave declared ones where a tool of others gives none', declared, edit(null), false, declared],
    ['leave what is unknown unknown', undefined, info(write('/w/a')), false, undefined],
  ])('%s', (_, given, details, isBuiltin, expected) => {
    expect(effectsOfPlan(given, details, { isBuiltin })).toEqual(expected);
  });
});

describe('what details leave out', () => {
  it.each<[string, ConfirmationDetails, Effect[]]>([
    ['is each declared effect that they do not list', info(write('/w/a')), [write('/w/b')]],
    ['is nothing where they list all', info(write('/w/b'), write('/w/a')), []],
    ['is nothing where a plan found less', edit('b', write('/w/b')), []],
    ['is nothing where a plan found no change', edit(null), []],
    ['is what a diff comes without', edit('b'), [write('/w/a'), write('/w/b')]],
  ])('%s', (_, details, expected) => {
    expect(leftOutEffects([read('/w/c'), write('/w/a'), write('/w/b')], details)).toEqual(expected);
  });
});
