import type { Effect } from '@toolwright/machine/base/effect.js';
import type { Staging } from '@toolwright/machine/changes/staged-run/staged-run.js';
import { describe, expect, it } from 'vitest';
import type { Route } from '../tools/shell/call.js';
import { command, type Lists, permission, read, write } from './fixtures/shell-effects.js';
import type { ApprovalMode } from './modes.js';

const npmTest = ['npm', 'test'];
const plain = command([npmTest]);
const proven = command([['ls']], { readOnly: true });
const onlyReads = command([['cat', 'a']], { onlyReads: true, network: true });
const own = command([npmTest], { own: true, network: true, unconfined: 'chosen' });
const secret: Effect = { kind: 'read', path: '/home/me/.ssh/id_ed25519' };
const outside: Effect = { kind: 'outside', access: 'ssh-agent' };

const possible: Staging = { possible: true };
const impossible: Staging = { possible: false, why: 'no overlays.' };

const direct: Route = { kind: 'direct' };
const readOnly: Route = { kind: 'read-only' };
const staged: Route = { kind: 'staged' };
const job: Route = { kind: 'job' };
const firstReadOnly: Route = { kind: 'ask-first', runs: 'read-only' };
const firstStaged: Route = { kind: 'ask-first', runs: 'staged' };
const firstInWorkspace: Route = { kind: 'ask-first', runs: 'in-workspace', why: 'no overlays.' };

interface Situation {
  mode?: ApprovalMode;
  rules?: Lists;
  staging?: Staging;
}

describe('the route', () => {
  it.each<[string, Effect[], Situation, Route]>([
    ['that is proven to only read', [proven], {}, direct],
    ['that is proven to only read, in plan mode', [proven], { mode: 'plan' }, direct],
    ['that is proven to only read, without a sandbox', [{ ...proven, unconfined: 'missing' }], {}, direct],
    ['that may change something', [plain], {}, staged],
    ['that may change something, in auto-edit mode', [plain], { mode: 'auto-edit' }, staged],
    ['that may change something, in yolo mode', [plain], { mode: 'yolo' }, staged],
    ['that a rule allows', [plain], { rules: { allow: ['Shell(npm)'] } }, staged],
    ['that may change something, in plan mode', [plain], { mode: 'plan' }, readOnly],
    ['in plan mode where nothing can be staged', [plain], { mode: 'plan', staging: impossible }, readOnly],
    ['where nothing can be staged', [plain], { staging: impossible }, firstInWorkspace],
    [
      'where nothing can be staged, in yolo mode',
      [plain],
      { mode: 'yolo', staging: impossible },
      firstInWorkspace,
    ],
    ['without a sandbox', [{ ...plain, unconfined: 'missing' }], {}, firstStaged],
    ['without a sandbox, by choice', [{ ...plain, unconfined: 'chosen' }], { mode: 'yolo' }, firstStaged],
    [
      'without a sandbox where nothing can be staged',
      [{ ...plain, unconfined: 'missing' }],
      { staging: impossible },
      firstInWorkspace,
    ],
    ['with network', [{ ...plain, network: true }], { mode: 'yolo' }, firstStaged],
    [
      'with network where nothing can be staged',
      [{ ...plain, network: true }],
      { staging: impossible },
      firstInWorkspace,
    ],
    ['with network that only reads', [onlyReads], {}, firstReadOnly],
    ['that reaches beyond the sandbox', [plain, outside], { mode: 'yolo' }, firstStaged],
    ['in the background', [{ ...plain, background: true }], {}, job],
    [
      'in the background with network, in yolo mode',
      [{ ...plain, background: true, network: true }],
      { mode: 'yolo' },
      job,
    ],
    [
      'in the background that a rule asks about',
      [{ ...plain, background: true }],
      { rules: { ask: ['Shell(npm)'] } },
      job,
    ],
    ['that a rule asks about', [plain], { mode: 'yolo', rules: { ask: ['Shell(npm test)'] } }, firstStaged],
    [
      'that a rule asks about, in plan mode',
      [plain],
      { mode: 'plan', rules: { ask: ['Shell(npm test)'] } },
      firstStaged,
    ],
    [
      'that a rule may be about',
      [command(null)],
      { mode: 'yolo', rules: { deny: ['Shell(rm)'] } },
      firstStaged,
    ],
    [
      'that reads what a rule asks about',
      [proven, read('a')],
      { rules: { ask: ['Read(a)'] } },
      firstReadOnly,
    ],
    [
      'that reads a secret without a sandbox',
      [{ ...proven, unconfined: 'chosen' }, secret],
      {},
      firstReadOnly,
    ],
    ['that the user typed', [own], {}, firstStaged],
    ['that the user typed, where nothing can be staged', [own], { staging: impossible }, firstInWorkspace],
  ])(
    'fits a command %s',
    async (_name, effects, { mode = 'default', rules = {}, staging = possible }, route) => {
      const { routeOf } = await permission(mode, rules);
      expect(await routeOf({ tool: 't', effects }, async () => staging)).toEqual(route);
    },
  );

  it.each<[string, Effect[], ApprovalMode]>([
    ['is proven to only read', [proven], 'default'],
    ['runs in plan mode', [plain], 'plan'],
    ['goes on in the background', [{ ...plain, background: true }], 'default'],
    ['only reads after a question', [onlyReads], 'default'],
  ])('is decided without a trial of staging for a command that %s', async (_name, effects, mode) => {
    const { routeOf } = await permission(mode);
    const fails = (): never => {
      throw new Error('tried');
    };
    await expect(routeOf({ tool: 't', effects }, fails)).resolves.toBeDefined();
  });
});

describe('a change of a command that was agreed to before it ran', () => {
  it.each<[string, Effect, Situation, string | null]>([
    ['is kept where only a mode asks about it', write('a', true), {}, null],
    ['is kept where the mode allows it', write('a', true), { mode: 'yolo' }, null],
    [
      'is not kept where a rule asks about it',
      write('a', true),
      { rules: { ask: ['Edit(a)'] } },
      'the rule Edit(a) (ask:1) asks before writing a',
    ],
    [
      'is kept where a rule asks about the command, which was answered',
      write('a', true),
      { mode: 'yolo', rules: { ask: ['Shell(npm)'] } },
      null,
    ],
    [
      'is kept where a rule asks about the tool, which was answered',
      write('a', true),
      { rules: { ask: ['t'] } },
      null,
    ],
    [
      'is not kept where a rule asks about the tool and its path is protected',
      write('.git/hooks/pre-commit', true),
      { mode: 'yolo', rules: { ask: ['t'] } },
      'the rule t (ask:1) asks before writing .git/hooks/pre-commit',
    ],
    [
      'is not kept where a rule denies it',
      write('a', true),
      { mode: 'yolo', rules: { deny: ['Edit(a)'] } },
      'the rule Edit(a) (deny:1) forbids writing a',
    ],
    [
      'is not kept on a protected path',
      write('.git/hooks/pre-commit', true),
      { mode: 'yolo' },
      'yolo mode asks before writing .git/hooks/pre-commit (a protected path is always asked about)',
    ],
  ])('%s', async (_name, change, { mode = 'default', rules = {} }, reason) => {
    const effects = [{ ...plain, network: true }];
    const { refusalOfUnseenChange } = await permission(mode, rules);
    expect(refusalOfUnseenChange({ tool: 't', effects }, change)).toBe(reason);
  });
});
