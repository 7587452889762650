import type { Effect } from '@toolwright/machine/base/effect.js';
import { describe, expect, it } from 'vitest';
import { command } from '../permission/fixtures/shell-effects.js';
import { createCallBench } from '../testing/call-bench.js';
import { scriptedConfirm } from '../testing/scripted-confirm.js';
import { type ScriptedToolOptions, scriptedTool } from '../testing/scripted-tool.js';
import type { ConfirmationDetails } from '../tools/tools.js';
import type { Outcome, SchedulerOptions } from './call.js';

const write = (path: string): Effect => ({ kind: 'write', path });
const edit = (path: string): ConfirmationDetails => ({
  kind: 'edit',
  title: `Edit ${path}`,
  diff: { kind: 'diff', files: [] },
  effects: [write(path)],
  modifiable: { path, content: 'proposed' },
});

function writer(options: ScriptedToolOptions & { runs?: unknown[]; discarded?: unknown[] } = {}) {
  return scriptedTool('writer', {
    effects: [write('/work/src/a.ts')],
    confirmation: edit('/work/src/a.ts'),
    run: async (params) => {
      options.runs?.push(params);
      return { llmContent: 'written', returnDisplay: 'written' };
    },
    ...options,
    more: { discard: (params) => void options.discarded?.push(params), ...options.more },
  });
}

describe('the user', () => {
  it('is asked with plain data that says what, why, and what "always" would mean', async () => {
    const confirm = scriptedConfirm({ kind: 'once' });
    const bench = await createCallBench({ tools: [writer()], mode: 'default', confirm });
    const [settled] = await bench.run([['writer']]);
    expect(settled?.response.response).toEqual({ output: 'written' });
    expect(JSON.parse(JSON.stringify(confirm.asked[0]))).toEqual({
      callId: settled?.callId,
      tool: 'writer',
      description: 'Use writer',
      details: edit('/work/src/a.ts'),
      reason: 'default mode asks before writing src/a.ts',
      offers: [
        { rule: 'Edit(src/a.ts)', allows: 'changes to src/a.ts' },
        { rule: 'Edit(src/**)', allows: 'changes to any file in src' },
        { rule: 'writer', allows: 'every call of writer' },
      ],
      never: { rule: 'Edit(src/a.ts)', allows: 'changes to src/a.ts' },
      modifiable: false,
    });
    expect(bench.events.map(({ type }) => type)).toEqual(['call-start', 'call-ask', 'call-end']);
  });

  it('is warned of what is protected or runs later, and sees those files first, whatever their names', async () => {
    const confirm = scriptedConfirm();
    const paths = ['a.ts', 'b.ts', 'package.json', 'z/.envrc'];
    const file = (path: string, change: 'modify' | 'delete') => ({
      path,
      change,
      unified: '',
      added: 1,
      removed: 0,
    });
    const files = paths.map((path) => file(path, path === 'b.ts' ? 'delete' : 'modify'));
    const details: ConfirmationDetails = {
      kind: 'edit',
      title: 'Patch 4 files',
      diff: { kind: 'diff', files },
      effects: paths.map((path) => write(`/work/${path}`)),
      warnings: ['a.ts belongs to root'],
    };
    const tools = [writer({ confirmation: details })];
    await (await createCallBench({ tools, mode: 'default', confirm })).run([['writer']]);
    const [asked] = confirm.asked;
    expect(asked?.details).toMatchObject({
      warnings: [
        'a.ts belongs to root',
        'package.json: other programs run what is in it',
        'z/.envrc: protected: direnv runs it',
      ],
      diff: { files: ['b.ts', 'package.json', 'z/.envrc', 'a.ts'].map((path) => ({ path })) },
    });
  });

  it('may refuse with a reason that reaches the model, and the plan is dropped', async () => {
    const [runs, discarded]: unknown[][] = [[], []];
    const confirm = scriptedConfirm({ kind: 'cancel', reason: 'use b.ts instead' });
    const bench = await createCallBench({ tools: [writer({ runs, discarded })], mode: 'default', confirm });
    const [settled] = await bench.run([['writer']]);
    expect(settled?.response.response).toEqual({
      error: 'The user refused this call: use b.ts instead',
      code: 'denied',
    });
    expect(settled?.denied).toEqual({ by: 'user', reason: 'use b.ts instead' });
    expect([runs?.length, discarded?.length]).toEqual([0, 1]);
  });

  it('who says always is not asked again, not even by a call already waiting', async () => {
    const confirm = scriptedConfirm({ kind: 'always', rule: 'Edit(src/**)', scope: 'session' });
    const other = scriptedTool('other', {
      effects: [write('/work/src/b.ts')],
      confirmation: edit('/work/src/b.ts'),
    });
    const bench = await createCallBench({ tools: [writer(), other], mode: 'default', confirm });
    const settled = await bench.run([['writer'], ['other']]);
    expect(settled.map(({ error }) => error)).toEqual([undefined, undefined]);
    expect(confirm.asked).toHaveLength(1);
  });

  it('can have the yes saved', async () => {
    const saved: unknown[] = [];
    const bench = await createCallBench({
      tools: [writer()],
      mode: 'default',
      confirm: scriptedConfirm({ kind: 'always', rule: 'writer', scope: 'saved' }),
      more: { saveGrant: async (grant) => void saved.push(grant) },
    });
    await bench.run([['writer']]);
    expect(saved).toEqual([{ rule: 'writer', scope: 'saved' }]);
  });

  it('can only be taken to have said "always" to what was offered', async () => {
    const runs: unknown[] = [];
    const bench = await createCallBench({
      tools: [writer({ runs })],
      mode: 'default',
      confirm: scriptedConfirm({ kind: 'always', rule: 'Edit(**)', scope: 'session' }),
    });
    const [settled] = await bench.run([['writer']]);
    expect(settled?.error?.message).toMatch(/Edit\(\*\*\) was not offered/);
    expect(runs).toEqual([]);
  });

  it('may modify the proposal: new params, planned again, shown again', async () => {
    const [runs, discarded]: unknown[][] = [[], []];
    const confirm = scriptedConfirm({ kind: 'modify', written: 'mine' }, { kind: 'once' });
    const tool = writer({
      runs,
      discarded,
      more: { modify: (params, written) => ({ ...params, content: written }) },
    });
    const bench = await createCallBench({ tools: [tool], mode: 'default', confirm });
    const [settled] = await bench.run([['writer', { content: 'theirs' }]]);
    expect(settled?.response.response?.['notes']).toEqual([
      'the user changed the proposed content before it was written',
    ]);
    expect(runs).toEqual([{ content: 'mine' }]);
    expect(discarded).toEqual([{ content: 'theirs' }]);
    expect(confirm.asked.map(({ again }) => again)).toEqual([undefined, 1]);
  });

  it('is asked again after each change with its number, until a loop of changes ends as a refusal', async () => {
    const [asked, runs, discarded]: unknown[][] = [[], [], []];
    const tool = writer({
      runs,
      discarded,
      more: { modify: (params, written) => ({ ...params, content: written }) },
    });
    const confirm: SchedulerOptions['confirm'] = async ({ again }) => {
      asked?.push(again);
      return { kind: 'modify', written: `version ${again ?? 0}` };
    };
    const bench = await createCallBench({ tools: [tool], mode: 'default', more: { confirm } });
    const [settled] = await bench.run([['writer', { content: 'theirs' }]]);
    expect(asked).toEqual([undefined, ...Array.from({ length: 20 }, (_, index) => index + 1)]);
    expect(settled?.denied).toEqual({
      by: 'confirm',
      reason: 'the call was modified 20 times, and confirm modified it once more instead of saying yes or no',
    });
    expect([runs?.length, discarded?.length]).toEqual([0, 21]);
  });

  const wrongAnswers: [string, unknown, string][] = [
    ['nothing', undefined, 'undefined in place of { kind: … }'],
    ['true', true, 'boolean in place of { kind: … }'],
    ['a kind of its own', { kind: 'yes' }, 'the kind "yes"; there are once, always, modify, park, cancel'],
    [
      'always without a scope',
      { kind: 'always', rule: 'writer' },
      'the scope undefined; there are session and saved',
    ],
    ['a change of what can not be changed', { kind: 'modify', written: 'x' }, "writer can't be modified"],
  ];
  it.each(wrongAnswers)(
    'is taken to have said no where confirm gives %s, which is named and logged',
    async (_, answer, problem) => {
      const runs: unknown[] = [];
      const confirm = async () => answer as Outcome;
      const bench = await createCallBench({ tools: [writer({ runs })], mode: 'default', more: { confirm } });
      const [settled] = await bench.run([['writer']]);
      const reason = `confirm gave an answer that can't be used: ${problem}`;
      expect(settled?.denied).toEqual({ by: 'confirm', reason });
      expect(bench.errors.map(({ message }) => message)).toEqual([reason]);
      expect(runs).toEqual([]);
    },
  );

  it('is asked one question at a time', async () => {
    let open = 0;
    let most = 0;
    const tools = ['a', 'b', 'c'].map((name) => scriptedTool(name, { effects: [write(`/work/${name}`)] }));
    const bench = await createCallBench({
      tools,
      mode: 'default',
      more: {
        confirm: async () => {
          most = Math.max(most, ++open);
          await new Promise((resolve) => setTimeout(resolve, 3));
          open -= 1;
          return { kind: 'once' };
        },
      },
    });
    await bench.run([['a'], ['b'], ['c']]);
    expect(most).toBe(1);
  });

  it('distinguishes a user who is not there from one who refuses', async () => {
    const bench = await createCallBench({
      tools: [writer()],
      mode: 'default',
      confirm: scriptedConfirm({ kind: 'cancel', nobodyToAsk: true }),
    });
    const [settled] = await bench.run([['writer']]);
    expect(settled?.denied?.by).toBe('nobody-to-ask');
    expect(settled?.error?.message).toBe(
      'Denied: default mode asks before writing src/a.ts, and there is nobody to ask.',
    );
  });
});

describe('the decision', () => {
  it('denies at once, before anything is planned', async () => {
    let planned = 0;
    const tool = writer({
      confirmation: async () => {
        planned += 1;
        return false;
      },
    });
    const bench = await createCallBench({
      tools: [tool],
      rules: [{ verdict: 'deny', text: 'Edit(src)', source: 's:1' }],
    });
    const [settled] = await bench.run([['writer']]);
    expect(settled?.denied).toEqual({
      by: 'rule',
      reason: 'the rule Edit(src) (s:1) forbids writing src/a.ts',
      brief: 'the rule Edit(src) (s:1) forbids it',
    });
    expect(planned).toBe(0);
  });

  it('is made again with the exact changes of the plan', async () => {
    const [runs, discarded]: unknown[][] = [[], []];
    const tool = writer({ runs, discarded, confirmation: edit('/work/.git/hooks/pre-commit') });
    const confirm = scriptedConfirm();
    const bench = await createCallBench({ tools: [tool], mode: 'yolo', confirm });
    await bench.run([['writer']]);
    expect(confirm.asked[0]?.reason).toMatch(/a protected path is always asked about/);
    expect(confirm.asked[0]?.offers).toEqual([]);
    expect([runs?.length, discarded?.length]).toEqual([0, 1]);
  });

  it('asks nothing when the plan changes nothing', async () => {
    const confirm = scriptedConfirm();
    const unchanged: ConfirmationDetails = {
      kind: 'exec',
      title: 'run',
      command: 'true',
      directory: '/work',
      effects: [],
    };
    const bench = await createCallBench({
      tools: [],
      mode: 'default',
      confirm,
    });
    const tool = scriptedTool('sh', { effects: [command(null)], confirmation: unchanged });
    bench.registry.registerTool(tool, { kind: 'builtin' });
    const [settled] = await bench.run([['sh']]);
    expect(settled?.error).toBeUndefined();
    expect(confirm.asked).toEqual([]);
  });

  describe('a tool that declares no change and yet wants a confirmation', () => {
    const sends: ConfirmationDetails = {
      kind: 'info',
      title: 'Send the report',
      prompt: 'Send the report to the printer?',
      urls: [],
      effects: [],
    };
    const reads: Effect = { kind: 'read', path: '/work/report.txt' };
    const sender = (effects: Effect[], runs: unknown[] = []) =>
      scriptedTool('sender', {
        effects,
        confirmation: sends,
        run: async (params) => {
          runs.push(params);
          return { llmContent: 'sent', returnDisplay: 'sent' };
        },
      });

    it.each([
      ['no effects', []],
      ['only reading', [reads]],
    ])('is asked about with its own details when it declares %s', async (_, effects) => {
      const confirm = scriptedConfirm({ kind: 'once' });
      const bench = await createCallBench({ tools: [sender(effects)], mode: 'default', confirm });
      const [settled] = await bench.run([['sender']]);
      expect(settled?.error).toBeUndefined();
      expect(confirm.asked).toMatchObject([
        {
          details: sends,
          reason: 'default mode asks before calling sender, which asks for a confirmation',
          offers: [{ rule: 'sender', allows: 'every call of sender' }],
        },
      ]);
    });

    it('does not run when the user says no', async () => {
      const runs: unknown[] = [];
      const confirm = scriptedConfirm({ kind: 'cancel', reason: 'not now' });
      const bench = await createCallBench({ tools: [sender([], runs)], mode: 'auto-edit', confirm });
      const [settled] = await bench.run([['sender']]);
      expect(settled?.denied).toEqual({ by: 'user', reason: 'not now' });
      expect(runs).toEqual([]);
    });

    it.each([
      ['yolo mode', { mode: 'yolo' as const }],
      [
        'a rule that names the tool',
        { rules: [{ verdict: 'allow' as const, text: 'sender', source: 'test' }] },
      ],
    ])('is not asked about under %s', async (_, options) => {
      const confirm = scriptedConfirm();
      const bench = await createCallBench({ tools: [sender([])], mode: 'default', confirm, ...options });
      const [settled] = await bench.run([['sender']]);
      expect([settled?.error, confirm.asked]).toEqual([undefined, []]);
    });

    it('does not run when its details are no details, and the log says what is wrong with them', async () => {
      const runs: unknown[] = [];
      const tool = { ...sender([], runs), shouldConfirmExecute: async () => ({ kind: 'edit' }) as never };
      const bench = await createCallBench({ tools: [tool], mode: 'default' });
      const [settled] = await bench.run([['sender']]);
      expect([settled?.error?.code, runs]).toEqual(['failed', []]);
      expect(String(bench.errors[0]?.error)).toMatch(/sender: its confirmation details have no title/);
    });

    it('is still asked about under a rule for the file that it reads', async () => {
      const confirm = scriptedConfirm({ kind: 'once' });
      const rules = [{ verdict: 'allow' as const, text: 'Read(report.txt)', source: 'test' }];
      const bench = await createCallBench({ tools: [sender([reads])], mode: 'default', confirm, rules });
      await bench.run([['sender']]);
      expect(confirm.asked).toHaveLength(1);
    });
  });

  it('keeps asking about what was declared and the plan does not mention', async () => {
    const confirm = scriptedConfirm({ kind: 'once' });
    const tool = writer({
      effects: [write('/work/src/a.ts'), { kind: 'network', host: 'h.example', port: 443, url: '' }],
      confirmation: { ...edit('/work/src/a.ts') },
    });
    const bench = await createCallBench({ tools: [tool], mode: 'auto-edit', confirm });
    await bench.run([['writer']]);
    expect(confirm.asked[0]?.reason).toMatch(/reaching h\.example:443/);
  });

  it('builds a question from the description when the tool has none', async () => {
    const confirm = scriptedConfirm({ kind: 'once' });
    const bench = await createCallBench({ tools: [scriptedTool('foreign')], mode: 'default', confirm });
    await bench.run([['foreign']]);
    expect(confirm.asked[0]?.details).toEqual({
      kind: 'info',
      title: 'Use foreign',
      prompt: 'Use foreign?',
      urls: [],
      effects: [],
    });
  });
});
