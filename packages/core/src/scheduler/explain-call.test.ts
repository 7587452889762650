import type { Effect } from '@toolwright/machine/base/effect.js';
import { ToolError } from '@toolwright/machine/base/errors.js';
import type { Staging } from '@toolwright/machine/changes/staged-run/staged-run.js';
import { createTempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { describe, expect, it } from 'vitest';
import type { ApprovalMode, EffectClass } from '../permission/modes.js';
import { createPermission } from '../permission/permission.js';
import type { RuleText } from '../permission/rules.js';
import { createAskHooks } from '../pieces/hooks/ask-hooks.js';
import type { Hook } from '../pieces/hooks/hook.js';
import { createStartedHooks } from '../pieces/hooks/started-hooks.js';
import { explanationSentences, verdictWords } from '../question/explanation-words.js';
import { type ScriptedToolOptions, scriptedTool } from '../testing/scripted-tool.js';
import { ToolRegistry } from '../tools/tool-registry.js';
import { explainCall } from './explain-call.js';
import { make, permissionAt } from './fixtures/explained.js';

interface Situation {
  mode?: ApprovalMode;
  rules?: RuleText[];
  name?: string;
  /** Commands can be staged here. */
  canStage?: boolean;
  /** Files that git ignores are kept without a question. */
  keepsIgnored?: boolean;
}

async function explain(
  tool: ScriptedToolOptions,
  { mode = 'default', rules = [], name = 't', canStage = true, keepsIgnored = true }: Situation = {},
) {
  const registry = new ToolRegistry();
  const mustNotRun = () => Promise.reject(new Error('it was run'));
  registry.registerTool(scriptedTool('t', { run: mustNotRun, confirmation: mustNotRun, ...tool }));
  const permission = await permissionAt(mode, rules);
  const staging: Staging = canStage ? { possible: true } : { possible: false, why: 'x' };
  const commands = { shell: { staged: { possible: async () => staging }, changes: { keepsIgnored } } };
  return explainCall({ id: '', name, arguments: {} }, { registry, permission, commands });
}

describe('an explanation', () => {
  it('has the effects, every rule that was considered, and the winner with its place', async () => {
    const rules: RuleText[] = [
      { verdict: 'deny', text: 'Edit(vendor)', source: 'settings.json:4' },
      { verdict: 'allow', text: 'Edit(src)', source: 'settings.json:3' },
    ];
    expect(await explain({ effects: [{ kind: 'write', path: '/work/src/a' }] }, { rules })).toEqual({
      decision: 'allow',
      staged: false,
      reason: 'the rule Edit(src) (settings.json:3) allows writing src/a',
      effects: [{ kind: 'write', path: '/work/src/a' }],
      considered: [
        { rule: 'Edit(vendor)', verdict: 'deny', source: 'settings.json:4', matched: false },
        { rule: 'Edit(src)', verdict: 'allow', source: 'settings.json:3', matched: true },
      ],
      winner: { kind: 'rule', rule: 'Edit(src)', verdict: 'allow', source: 'settings.json:3' },
    });
  });

  it('of a tool that does not say what it does has no effects', async () => {
    expect(await explain({})).toMatchObject({ decision: 'ask', effects: null, staged: false });
  });

  it('denies what would be refused before, in the words the model would get', async () => {
    const outside = () => {
      throw new ToolError('outside_workspace', '/etc is outside.');
    };
    expect(await explain({ more: { effects: outside } })).toEqual({
      decision: 'deny',
      staged: false,
      reason: '/etc is outside.',
      effects: [],
      considered: [],
      winner: null,
    });
    const mistaken = await explain({ more: { validateToolParams: () => 'a is missing' } });
    expect([mistaken.decision, mistaken.reason]).toEqual([
      'deny',
      't was not run; its arguments do not fit:\na is missing',
    ]);
    const unknown = await explain({}, { name: 'nothing' });
    expect([unknown.decision, unknown.winner]).toEqual(['deny', null]);
    expect(unknown.reason).toMatch(/nothing/);
  });

  it.each<[string, Partial<typeof make>, Situation, string, boolean]>([
    ['a command', {}, {}, 'ask', true],
    ['a command in yolo mode', {}, { mode: 'yolo' }, 'allow', true],
    ['a command in plan mode, on a read-only mount', {}, { mode: 'plan' }, 'allow', false],
    ['a command that only reads', { readOnly: true }, {}, 'allow', false],
    ['a command with network', { network: true }, {}, 'ask', true],
    ['a command in the background', { background: true }, {}, 'ask', false],
    [
      'a denied command',
      {},
      { rules: [{ verdict: 'deny', text: 'Shell(make)', source: 's' }] },
      'deny',
      false,
    ],
    [
      'an allowed command',
      {},
      { rules: [{ verdict: 'allow', text: 'Shell(make)', source: 's' }] },
      'allow',
      true,
    ],
  ])('says whether %s would be staged', async (_name, more, situation, decision, staged) => {
    const effects = [{ ...make, ...more }] as Effect[];
    expect(await explain({ effects }, situation)).toMatchObject({ decision, staged });
  });

  it.each<[string, Partial<typeof make>, Situation, true | undefined]>([
    ['after a staged command', {}, {}, true],
    ['before a command that can not be staged here', {}, { canStage: false }, undefined],
    ['before a command with network', { network: true }, {}, undefined],
    [
      'before a command that a rule asks about',
      {},
      { rules: [{ verdict: 'ask', text: 'Shell(make)', source: 's' }] },
      undefined,
    ],
  ])('says that the question comes %s', async (_name, more, situation, askedAfter) => {
    const explained = await explain({ effects: [{ ...make, ...more }] as Effect[] }, situation);
    expect([explained.decision, explained.askedAfter]).toEqual(['ask', askedAfter]);
    expect(explained.route?.kind).toBe(askedAfter ? 'staged' : 'ask-first');
    if (situation.canStage === false) expect(explained.staged).toBe(false);
  });

  it.each<[string, Effect[], string, EffectClass]>([
    ['names no file', [], 'default mode asks before keeping what a command changed', 'write'],
    [
      'is there to change a file',
      [{ kind: 'delete', path: '/work/build', declared: 'purpose' }],
      'default mode asks before keeping what a command changed',
      'write',
    ],
    [
      'writes a file by the way',
      [{ kind: 'write', path: '/work/a', declared: 'by the way' }],
      'default mode asks before writing a',
      'write',
    ],
    [
      'writes a protected file',
      [{ kind: 'write', path: '/work/.envrc', declared: 'by the way' }],
      'default mode asks before writing .envrc (a protected path is always asked about)',
      'protected',
    ],
  ])('names the winner that the question after a command has, where it %s', async (...row) => {
    const [, changes, reason, effectClass] = row;
    expect(await explain({ effects: [make, ...changes] })).toMatchObject({
      decision: 'ask',
      askedAfter: true,
      reason,
      winner: { kind: 'mode', mode: 'default', class: effectClass },
    });
  });

  it('names the rule that asks about what a staged command writes', async () => {
    const rules: RuleText[] = [{ verdict: 'ask', text: 'Edit(a)', source: 's' }];
    const effects: Effect[] = [make, { kind: 'write', path: '/work/a', declared: 'purpose' }];
    const { askedAfter, reason, winner } = await explain({ effects }, { rules, mode: 'auto-edit' });
    expect([askedAfter, reason, winner]).toEqual([
      undefined,
      'the rule Edit(a) (s) asks before writing a',
      { kind: 'rule', rule: 'Edit(a)', verdict: 'ask', source: 's' },
    ]);
  });
});

describe('the words of an explanation', () => {
  const askEdit: RuleText = { verdict: 'ask', text: 'Edit(build)', source: 's' };
  const denyEdit: RuleText = { verdict: 'deny', text: 'Edit(build)', source: 's' };
  const first = 'staged: it would run on a copy of the workspace first; if it changes nothing';

  it.each<[string, Situation, string]>([
    [
      'files that git ignores, which are kept',
      {},
      `${first}, or only writes ordinary files that git ignores, nothing is asked.`,
    ],
    [
      'these where a rule denies some files',
      { rules: [denyEdit] },
      `${first}, or only writes ordinary files that git ignores, nothing is asked.`,
    ],
    ['none where they are asked about', { keepsIgnored: false }, `${first}, nothing is asked.`],
    ['none where a rule may ask about them', { rules: [askEdit] }, `${first}, nothing is asked.`],
  ])('say of a command that is asked about afterwards: %s', async (_name, situation, sentence) => {
    const explained = await explain({ effects: [make] }, situation);
    expect(verdictWords(explained)).toBe('ask only if it changes something');
    expect(explanationSentences(explained)).toEqual([sentence]);
  });

  it('say plainly what is decided before a command', async () => {
    const words = async (more: Partial<typeof make>, situation?: Situation) =>
      verdictWords(await explain({ effects: [{ ...make, ...more }] as Effect[] }, situation));
    expect(await words({ network: true })).toBe('ask');
    expect(await words({ readOnly: true })).toBe('allow');
    expect(await words({ network: true }, { mode: 'plan' })).toBe('deny');
  });
});

it.each<[Partial<typeof make>, ApprovalMode, object | undefined]>([
  [{}, 'default', { programs: ['`git push`'], decisionWithNetwork: 'ask' }],
  [{}, 'yolo', { programs: ['`git push`'], decisionWithNetwork: 'allow' }],
  [{ network: true }, 'default', undefined],
])(
  'an explanation of git push, %j in %s mode, names what lacks the network',
  async (more, mode, expected) => {
    const doubts = ['`npm` runs scripts', '`git push` reaches the network'];
    const explained = await explain({ effects: [{ ...make, doubts, ...more }] as Effect[] }, { mode });
    expect(explained.withoutNetwork).toEqual(expected);
  },
);

describe('an explanation of a call that meets links', () => {
  async function explainWrite(name: string, mode: ApprovalMode = 'yolo', rules: RuleText[] = []) {
    await using temp = createTempWorkspace({ content: { 'a.txt': 'a', '.git/config': '' } });
    temp.symlink('link.txt', 'a.txt');
    temp.symlink('hooks', '.git/hooks');
    temp.symlink('out', temp.outside);
    const registry = new ToolRegistry();
    const path = temp.path(name);
    registry.registerTool(
      scriptedTool('t', {
        effects: [
          { kind: 'read', path },
          { kind: 'write', path },
        ],
      }),
    );
    const permission = await createPermission({ mode, rules, workspace: temp.workspace });
    const call = { id: '', name: 't', arguments: {} };
    const { decision, reason } = await explainCall(call, { registry, permission, host: temp });
    return `${decision}: ${reason}`;
  }

  it('is about the file behind them too', async () => {
    const rules: RuleText[] = [{ verdict: 'deny', text: 'Read(a.txt)', source: 's' }];
    expect(await explainWrite('link.txt', 'yolo', rules)).toBe(
      'deny: the rule Read(a.txt) (s) forbids reading a.txt',
    );
    expect(await explainWrite('hooks/new')).toBe(
      'ask: yolo mode asks before writing .git/hooks/new (a protected path is always asked about)',
    );
    expect(await explainWrite('link.txt')).toMatch(/^allow: yolo mode allows writing/);
  });

  it('denies what they lead out of the workspace', async () => {
    expect(await explainWrite('out/x')).toMatch(/^deny: out\/x .* outside the folders this session may use/);
  });
});

it('an explanation names the hooks that would be asked, by their conditions', async () => {
  const from = { path: '/h', shown: 'h', format: 'claude' as const, isOwn: true };
  const hookOf = (line: number, more: object): Hook => ({
    event: 'PreToolUse',
    matcher: 'Bash',
    command: 'c',
    names: 'claude',
    timeoutMs: 1,
    line,
    from,
    ...more,
  });
  const hooks = createAskHooks({
    hooks: [
      hookOf(1, { condition: 'Bash(git push *)' }),
      hookOf(2, { condition: 'Bash(rm *)' }),
      hookOf(3, { matcher: 'Edit' }),
      hookOf(4, { isAsync: true }),
      hookOf(5, {}),
    ],
    sessionId: 's',
    journalPath: '/j',
    workspace: '/w',
    mode: () => 'default',
    started: createStartedHooks({ run: () => Promise.reject(new Error('not here')), say: () => undefined }),
    run: () => Promise.reject(new Error('not here')),
  });
  const registry = new ToolRegistry();
  const properties = { command: { type: 'string' } };
  const parameterSchema = { type: 'object' as const, properties };
  registry.registerTool(scriptedTool('run_shell_command', { effects: [], more: { parameterSchema } }));
  const call = { id: '', name: 'run_shell_command', arguments: { command: 'git push -f' } };
  const permission = await permissionAt('default', []);
  const explained = await explainCall(call, { registry, permission, pieces: { hooks } });
  expect(explained.hooks).toEqual(['c (h:1)', 'c (h:5)']);
});
