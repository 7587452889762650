import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '@toolwright/machine/base/fixtures/temp-folder.js';
import { describe, expect, it } from 'vitest';
import { describePieceProblem } from '../piece.js';
import type { HookEvent, HookFormat } from './hook.js';
import { answerOf, type HookAnswer, type HookRun } from './hook-answer.js';
import { meetsCondition } from './hook-condition.js';
import { hookInputOf, paramsOfHook } from './hook-input.js';
import { coversTool, hookNamesOf, matchedName, meansTool } from './hook-names.js';
import { readHooks } from './read-hooks.js';

async function read(value: unknown, format: HookFormat = 'claude') {
  const path = join(tempFolder(), 'hooks.json');
  writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value, null, 1));
  const { hooks, problems } = await readHooks({ path, shown: 'h', format, isOwn: true });
  return { hooks, problems: problems.map((each) => describePieceProblem(each).replace(`${path}:`, '')) };
}

const hook = (more: object = {}) => ({ hooks: [{ type: 'command', command: 'x', ...more }] });

describe('a file of hooks', () => {
  it.each<[HookFormat, number | undefined, number]>([
    ['claude', 5, 5_000],
    ['claude', 5_000, 600_000],
    ['gemini', 5_000, 5_000],
    ['qwen', 5, 5_000],
    ['qwen', 5_000, 5_000],
    ['claude', undefined, 60_000],
  ])('of %s with the timeout %s has a limit of %i ms', async (format, timeout, timeoutMs) => {
    const { hooks } = await read(
      { hooks: { PreToolUse: [{ matcher: 'Bash', ...hook({ timeout }) }] } },
      format,
    );
    expect(hooks).toMatchObject([{ event: 'PreToolUse', matcher: 'Bash', command: 'x', timeoutMs }]);
  });

  it.each([
    [{ disableAllHooks: true, hooks: { Stop: [hook()] } }, 0],
    [{ hooksConfig: { enabled: false }, hooks: { Stop: [hook()] } }, 0],
    [{ hooks: { enabled: false, Stop: [hook()] } }, 0],
    [{ hooksConfig: { enabled: true }, hooks: { enabled: true, Stop: [hook()] } }, 1],
  ])('%j has %i hooks that count', async (settings, count) => {
    expect(await read(settings, 'gemini')).toMatchObject({ hooks: { length: count }, problems: [] });
  });

  it('may have a hook in the list of its event, about everything', async () => {
    const { hooks, problems } = await read(
      { hooks: { BeforeTool: [{ type: 'command', command: 'x', name: 'mine', timeout: 500 }] } },
      'gemini',
    );
    expect(problems).toEqual([]);
    expect(hooks).toMatchObject([{ event: 'PreToolUse', matcher: '', command: 'x', timeoutMs: 500 }]);
  });

  it('may give a program a list of arguments, each of which stays one word', async () => {
    const args = ['a b', "it's", '$QWEN_PROJECT_DIR/x y'];
    const { hooks } = await read({ hooks: { Stop: [hook({ command: 'node', args })] } }, 'qwen');
    expect(hooks[0]?.command).toBe(`'node' 'a b' 'it'\\''s' "$QWEN_PROJECT_DIR/x y"`);
  });

  it('may use the names that Gemini CLI has for events', async () => {
    const names = ['BeforeTool', 'AfterTool', 'BeforeAgent', 'AfterAgent', 'PreCompress', 'SessionStart'];
    const value = { hooks: { enabled: true, ...Object.fromEntries(names.map((name) => [name, [hook()]])) } };
    const { hooks, problems } = await read(value, 'gemini');
    expect(hooks.map(({ event }) => event)).toEqual([
      'PreToolUse',
      'PostToolUse',
      'UserPromptSubmit',
      'Stop',
      'PreCompact',
      'SessionStart',
    ]);
    expect(problems).toEqual([]);
  });

  it.each<[unknown, RegExp]>([
    ['{"hooks": {', /^1: it is not JSON: expected/],
    [
      { hooks: { PreToolUsed: [] } },
      /^3: there is no event PreToolUsed here \(did you mean PreToolUse\?\)\.$/,
    ],
    [{ hooks: { Stop: {} } }, /^3: Stop must be a list\.$/],
    [{ hooks: { Stop: [{ matcher: 'x' }] } }, /^4: Stop has an entry without a list of hooks\.$/],
    [{ hooks: { Stop: [{ matcher: '(', ...hook() }] } }, /^4: its matcher is not a pattern: \(\.$/],
    [
      { hooks: { Stop: [hook({ type: 'http' })] } },
      /^6: a hook of type "http" can't be run here; only "command" can\.$/,
    ],
    [{ hooks: { Stop: [hook({ command: ' ' })] } }, /^6: this hook has no command\.$/],
    [{ hooks: { Stop: [hook({ async: 1 })] } }, /^6: async must be true or false\.$/],
    [{ hooks: { Stop: [hook({ names: 'cursor' })] } }, /^6: names must be one of claude, gemini, qwen\.$/],
    [{ hooks: { constructor: [hook()] } }, /^3: there is no event constructor here\.$/],
    [{ hooks: { Stop: [hook({ timeout: -1 })] } }, /^6: timeout must be a number above 0\.$/],
  ])('with a mistake names its line: %j', async (value, problem) => {
    const { hooks, problems } = await read(value);
    expect([hooks, problems]).toEqual([[], [expect.stringMatching(problem)]]);
  });

  it('may say of a hook whose names it knows', async () => {
    const { hooks } = await read({ hooks: { Stop: [hook({ names: 'gemini' }), hook()] } });
    expect(hooks.map(({ names }) => names)).toEqual(['gemini', 'claude']);
  });

  it('may have hooks that nobody waits for, except at the end of the session', async () => {
    const background = hook({ async: true });
    const { hooks } = await read({ hooks: { Stop: [background, hook()], SessionEnd: [background] } });
    expect(hooks.map(({ isAsync }) => isAsync)).toEqual([true, undefined, undefined]);
  });

  it('loses only the hook with the mistake', async () => {
    const { hooks, problems } = await read({ hooks: { Stop: [hook({ type: 'http' }), hook()] } });
    expect([hooks.length, problems.length]).toEqual([1, 1]);
  });
});

it.each<[string, string, HookFormat, string | null]>([
  ['run_shell_command', 'Bash', 'claude', 'Bash'],
  ['run_shell_command', 'run_shell_command', 'claude', 'run_shell_command'],
  ['run_shell_command', '', 'claude', 'Bash'],
  ['run_shell_command', '*', 'gemini', 'run_shell_command'],
  ['run_shell_command', 'Shell|Write', 'qwen', 'Shell'],
  ['edit', 'Edit|Write', 'claude', 'Edit'],
  ['edit', 'Write, Edit', 'claude', 'Edit'],
  ['edit', 'replace', 'gemini', 'replace'],
  ['edit', 'Ed', 'claude', null],
  ['edit', 'E.*', 'claude', 'Edit'],
  ['own_tool', '.*', 'claude', 'own_tool'],
  ['apply_patch', 'Write|NotebookEdit', 'claude', 'Write'],
  ['apply_patch', 'Bash', 'claude', null],
  ['notebook_edit', 'Edit|NotebookEdit', 'claude', 'NotebookEdit'],
  ['constructor', '', 'claude', 'constructor'],
])('the tool %s is meant by %j of %s as %j', (name, matcher, format, told) => {
  expect(matchedName(matcher, hookNamesOf({ name }, format))).toBe(told);
});

it('a tool of a server is meant by the name that Claude Code gives it, and by ours', () => {
  const tool = { name: 'gh__issue', server: { alias: 'gh', tool: 'issue' } };
  expect(hookNamesOf(tool, 'claude')).toEqual(['mcp__gh__issue', 'gh__issue']);
  expect(matchedName('mcp__gh__.*', hookNamesOf(tool, 'claude'))).toBe('mcp__gh__issue');
});

describe('the arguments that a hook is told', () => {
  const [claude, gemini] = (['claude', 'gemini'] as const).map((names) => ({ names, workspace: '/w' })) as [
    { names: 'claude'; workspace: string },
    { names: 'gemini'; workspace: string },
  ];
  const odd = { constructor: 'x', toString: 'y' };

  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['read_file', { absolute_path: '/a' }, { file_path: '/a' }],
    ['notebook_edit', { file_path: 'a', cell: 1 }, { notebook_path: '/w/a', cell: 1 }],
    ['write_file', { file_path: 'src/../a.txt', content: 'x' }, { file_path: '/w/a.txt', content: 'x' }],
    ['grep_search', { pattern: 'x', path: 'src' }, { pattern: 'x', path: '/w/src' }],
    ['agent', { agent: 'explorer', task: 'look' }, { subagent_type: 'explorer', prompt: 'look' }],
    ['skill', { name: 'sew' }, { skill: 'sew' }],
    [
      'todo',
      { items: [{ text: 'cut', state: 'active' }] },
      { todos: [{ content: 'cut', status: 'in_progress', activeForm: 'cut' }] },
    ],
    [
      'ask_user',
      { question: 'Tea?', choices: ['yes', 'no'] },
      {
        questions: [
          {
            question: 'Tea?',
            header: '',
            options: [
              { label: 'yes', description: '' },
              { label: 'no', description: '' },
            ],
            multiSelect: false,
          },
        ],
      },
    ],
    ['jobs', { action: 'input', id: '1', text: 'ls' }, { action: 'input', id: '1', command: 'ls' }],
    ['jobs', { action: 'output', id: '1' }, { action: 'output', id: '1' }],
    ['own_tool', { path: 'a' }, { path: 'a' }],
    ['constructor', odd, odd],
    ['read_file', odd, odd],
  ])('of %s %j are %j, and come back as ours', (name, params, told) => {
    expect(hookInputOf({ name, params }, claude)).toEqual(told);
    if (name !== 'jobs') expect(hookInputOf({ name, params }, gemini)).toEqual(params);
    const back = paramsOfHook({ name, params }, told, 'claude');
    expect(hookInputOf({ name, params: back }, claude)).toEqual(told);
    expect(Object.keys(JSON.parse(JSON.stringify(back))).sort()).toEqual(Object.keys(params).sort());
  });
});

it('a pattern that never ends means every tool', () => {
  expect(matchedName('^(\\w+)+$', [`${'a'.repeat(60)}!`])).toBe(`${'a'.repeat(60)}!`);
  expect(matchedName('^(\\w+)+$', ['!'])).toBeNull();
});

describe('names of tools in files of others', () => {
  it.each<[string, string, boolean, boolean]>([
    ['Edit', 'edit', true, true],
    ['Edit', 'apply_patch', true, true],
    ['Write', 'apply_patch', false, true],
    ['Write', 'edit', false, false],
    ['Bash(git diff:*)', 'run_shell_command', true, true],
    ['mcp__gh__issue', 'gh__issue', true, true],
    ['mcp__gh', 'gh__issue', true, true],
    ['mcp__gh__*', 'gh__issue', true, true],
    ['mcp__gh', 'ghost__issue', false, false],
    ['Edit', 'constructor', false, false],
  ])('%s means %s: %s; keeps it away: %s', (written, tool, means, covers) => {
    expect([meansTool(written, tool), coversTool(written, tool)]).toEqual([means, covers]);
  });
});

const ran = (more: Partial<HookRun>): HookRun => ({
  exitCode: 0,
  stdout: '',
  stderr: '',
  stopped: null,
  ...more,
});
const specific = (value: object): Partial<HookRun> => ({
  stdout: JSON.stringify({ hookSpecificOutput: value }),
});
const none = { decision: 'none', reason: '' };

it.each<[string, HookEvent, Partial<HookRun>, HookAnswer | object]>([
  ['silence', 'PreToolUse', {}, none],
  ['exit code 2', 'PreToolUse', { exitCode: 2, stderr: 'no\n' }, { decision: 'deny', reason: 'no' }],
  [
    'another exit code',
    'PreToolUse',
    { exitCode: 1, stderr: 'a\nb' },
    { ...none, failure: 'it ended with exit code 1: a' },
  ],
  ['a yes, which grants nothing', 'PreToolUse', specific({ permissionDecision: 'allow' }), none],
  ['the old yes', 'PreToolUse', { stdout: '{"decision":"approve"}' }, none],
  [
    'a no',
    'PreToolUse',
    specific({ permissionDecision: 'deny', permissionDecisionReason: 'r' }),
    { decision: 'deny', reason: 'r' },
  ],
  [
    'the old no',
    'PreToolUse',
    { stdout: '{"decision":"block","reason":"r"}' },
    { decision: 'deny', reason: 'r' },
  ],
  [
    'a question',
    'PreToolUse',
    specific({ permissionDecision: 'ask' }),
    { decision: 'ask', reason: 'no reason was given' },
  ],
  ['other arguments', 'PreToolUse', specific({ updatedInput: { a: 1 } }), { ...none, input: { a: 1 } }],
  [
    'other arguments of Gemini CLI',
    'PreToolUse',
    specific({ tool_input: { a: 1 } }),
    { ...none, input: { a: 1 } },
  ],
  ['other arguments where there is no call', 'Stop', specific({ updatedInput: { a: 1 } }), none],
  [
    'the end of all',
    'Stop',
    { stdout: '{"continue":false,"stopReason":"s"}' },
    { decision: 'deny', reason: 's', stops: true },
  ],
  ['text for the model', 'PostToolUse', specific({ additionalContext: 'c' }), { ...none, context: 'c' }],
  ['plain text for the model', 'SessionStart', { stdout: 'c\n' }, { ...none, context: 'c' }],
  ['plain text that nobody reads', 'PostToolUse', { stdout: 'c\n' }, none],
  ['text for the user', 'Stop', { stdout: '{"systemMessage":"m"}' }, { ...none, message: 'm' }],
  [
    'half of JSON',
    'PreToolUse',
    { stdout: '{"decision":' },
    { ...none, failure: expect.stringContaining('but is not') },
  ],
  ['a list', 'PreToolUse', { stdout: '[1]' }, none],
  [
    'no answer, before a call',
    'PreToolUse',
    { stopped: 'hung' },
    { decision: 'ask', reason: 'it hung', failure: 'it hung' },
  ],
  ['no answer, elsewhere', 'Stop', { stopped: 'hung' }, { decision: 'none', failure: 'it hung' }],
])('%s of a hook', (_name, event, run, answer) => {
  expect(answerOf(event, ran(run))).toMatchObject(answer);
});

describe('the condition of a hook', () => {
  const typing = { action: 'input', id: '1' };
  const shell = (command: string) => ({ name: 'run_shell_command', params: { command } });
  it.each<[string, Parameters<typeof meetsCondition>[1], boolean]>([
    ['Bash(git push *)', shell('git push --force'), true],
    ['Bash(git push *)', shell('git push'), true],
    ['Bash(git push:*)', shell('cd x && A=b git push'), true],
    ['Bash(git push *)', shell('git pushes'), false],
    ['Bash(git push *)', shell('ls'), false],
    ['Bash(npm * test)', shell('npm run test'), true],
    ['Bash', shell('ls'), true],
    ['Read', shell('ls'), false],
    ['Edit(*.ts)', { name: 'edit', params: { file_path: 'src/a.ts' } }, true],
    ['Edit(*.ts)', { name: 'edit', params: { file_path: 'src/a.py' } }, false],
    ['Edit(/w/src/*)', { name: 'edit', params: { file_path: 'src/a.ts' } }, true],
    ['Edit(src/*)', { name: 'apply_patch', params: { patch: 'x', file_path: '/w/src/a.ts' } }, true],
    ['Bash(git push *)', { name: 'jobs', params: { action: 'input', text: 'git push -f' } }, true],
    ['Bash', { name: 'jobs', params: { action: 'output' } }, false],
    ['Bash(git push *)', { name: 'jobs', params: { ...typing, command: 'ls', text: 'git push' } }, true],
    ['Edit(*.ts)', { name: 'edit', params: { command: 'ls', file_path: 'a.ts' } }, true],
    ['Bash(git push *)', { name: 'jobs', params: { ...typing, command: 'ls', text: 'ls' } }, false],
    [`Bash(${'a*'.repeat(50)}b)`, shell('a'.repeat(5_000)), false],
    ['Write(*.ts)', { name: 'apply_patch', params: { patch: 'x', file_path: 'src/a.ts' } }, true],
    ['mcp__gh__issue', { name: 'gh__issue', params: {} }, true],
    ['something else (', shell('ls'), true],
  ])('%s of %j: %s', (condition, call, met) => {
    expect(meetsCondition(condition, call, '/w')).toBe(met);
  });
});
