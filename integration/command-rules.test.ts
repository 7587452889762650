import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ConfirmRequest,
  createToolbox,
  type Outcome,
  type RuleText,
  type ToolboxOptions,
  textOf,
} from '@toolwright/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMachine, type Machine } from './program.js';

const isConfined = spawnSync('which', ['bwrap']).status === 0;
if (!isConfined) console.log('not tried: rules about staged commands, bubblewrap is not installed');

let machine: Machine;
beforeEach(() => {
  machine = createMachine({
    'make.sh': '#!/bin/sh\necho made\necho out >> out.txt\n',
    'hook.sh': '#!/bin/sh\nmkdir -p .github && echo x > .github/ci.yml\n',
    '.env': 'KEY=swordfish\n',
    'show.sh': '#!/bin/sh\ncat .env\n',
  });
  for (const name of ['make.sh', 'hook.sh', 'show.sh']) chmodSync(join(machine.workspace, name), 0o755);
});
afterEach(() => machine.cleanup());

const rules = (...given: [RuleText['verdict'], string][]): RuleText[] =>
  given.map(([verdict, text]) => ({ verdict, text, source: 'here' }));

async function open(
  given: RuleText[],
  answer: (request: ConfirmRequest) => Outcome = () => ({ kind: 'cancel' }),
  more: Partial<ToolboxOptions> = {},
) {
  const asked: ConfirmRequest[] = [];
  const toolbox = await createToolbox({
    workspace: machine.workspace,
    stateFolder: machine.state,
    approvalMode: 'default',
    rules: given,
    environment: { PATH: process.env['PATH'], HOME: machine.home },
    confirm: async (request) => {
      asked.push(request);
      return answer(request);
    },
    ...more,
  });
  return {
    asked,
    close: toolbox.close,
    async run(command: string) {
      const call = { id: '', name: 'run_shell_command', arguments: { command } };
      const [settled] = await toolbox.scheduler.run([call], AbortSignal.timeout(60_000));
      return settled!;
    },
  };
}

const has = (name: string): boolean => existsSync(join(machine.workspace, name));

describe.runIf(isConfined)('a rule that allows a command', () => {
  it('keeps what it changes without a question', async () => {
    const { run, asked, close } = await open(rules(['allow', 'Shell(./make.sh)']));
    const { error, llmContent } = await run('./make.sh | tail -1');
    await close();
    expect(error).toBeUndefined();
    expect(textOf(llmContent)).toContain('made');
    expect(asked).toEqual([]);
    expect(has('out.txt')).toBe(true);
  });

  it.each([
    ['a file that the command line names', './make.sh > log.txt', /writing log\.txt/],
    ['a protected path', './hook.sh', /\.github\/ci\.yml.*protected path/],
    ['a command beside it', './make.sh; touch more.txt', /writing|deleting|running|keeping/],
  ])('does not keep %s', async (_name, command, reason) => {
    const { run, asked, close } = await open(
      rules(['allow', 'Shell(./make.sh)'], ['allow', 'Shell(./hook.sh)']),
    );
    const { denied } = await run(command);
    await close();
    expect(denied?.by).toBe('user');
    expect(asked[0]?.reason).toMatch(reason);
    expect([has('out.txt'), has('log.txt'), has('.github/ci.yml'), has('more.txt')]).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });
});

describe.runIf(isConfined)('the answer "always"', () => {
  it('is the exact rule for the command, and may hold for some calls only', async () => {
    const { run, asked, close } = await open([], ({ offers }) => ({
      kind: 'always',
      rule: offers[0]!.rule,
      scope: 'saved',
      uses: 1,
    }));
    for (let times = 0; times < 3; times++) expect((await run('./make.sh')).error).toBeUndefined();
    await close();
    expect(asked.map(({ offers }) => offers[0]?.rule)).toEqual(['Shell(./make.sh)', 'Shell(./make.sh)']);
    expect(readFileSync(join(machine.workspace, 'out.txt'), 'utf8')).toBe('out\nout\nout\n');
    const grants = JSON.parse(readFileSync(join(machine.state, 'grants.json'), 'utf8')) as {
      grants: object[];
    };
    expect(grants.grants).toMatchObject([{ rule: 'Shell(./make.sh)', uses: 1 }]);
    const later = await open([]);
    await later.run('./make.sh');
    await later.run('./make.sh');
    await later.close();
    expect(later.asked).toHaveLength(1);
  });

  it('that is saved for some time ends with it', async () => {
    const first = await open([], ({ offers }) => ({
      kind: 'always',
      rule: offers[0]!.rule,
      scope: 'saved',
      forMs: -1,
    }));
    await first.run('./make.sh');
    await first.run('./make.sh');
    await first.close();
    expect(first.asked).toHaveLength(2);
  });
});

describe.runIf(isConfined)('path rules', () => {
  it('deny a command that names the file, and hide it from one that does not', async () => {
    const { run, close } = await open(rules(['deny', 'Read(.env)'], ['allow', 'Shell(./show.sh)']));
    expect((await run('cat .env')).denied).toMatchObject({ by: 'rule' });
    const { llmContent } = await run('./show.sh');
    await close();
    expect(textOf(llmContent)).not.toContain('swordfish');
  });
});

describe('path rules and git', () => {
  const denied = rules(['deny', 'Read(.env)']);
  beforeEach(() => {
    const git = (...args: string[]) =>
      spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { cwd: machine.workspace });
    git('init', '-q');
    git('add', '-f', '-A');
    git('commit', '-q', '-m', 'first');
    machine.write('.env', 'KEY=swordfish-2\n');
  });

  it.each([
    'git show HEAD:.env',
    'git log -p -- .env',
    'git blame .env',
    'git diff .env',
    'git cat-file -p HEAD:.env',
  ])('deny %s: a version of the file is the file', async (command) => {
    const { run, close } = await open(denied);
    const { denied: refused, llmContent } = await run(command);
    await close();
    expect(refused).toMatchObject({ by: 'rule' });
    expect(textOf(llmContent)).not.toContain('swordfish');
  });

  it.each(['git diff', 'git grep KEY', 'git diff HEAD'])(
    'without a sandbox %s is asked about',
    async (command) => {
      const { run, asked, close } = await open(denied, undefined, { sandbox: { mode: 'off' } });
      const { llmContent } = await run(command);
      await close();
      expect(asked[0]?.reason).toContain(
        'nothing confines it, so the rules about files could not be enforced',
      );
      expect(textOf(llmContent)).not.toContain('swordfish');
    },
  );

  it.runIf(isConfined)('in a sandbox git finds nothing in the file', async () => {
    const { run, asked, close } = await open(denied);
    const { llmContent } = await run('git grep KEY');
    await close();
    expect(asked).toEqual([]);
    expect(textOf(llmContent)).not.toContain('swordfish');
  });
});
