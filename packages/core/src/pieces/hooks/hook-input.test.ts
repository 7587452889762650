import { checkParams } from '@toolwright/machine/base/json-schema/json-schema.js';
import { describe, expect, it } from 'vitest';
import { AskUserTool } from '../../tools/task/ask-user.js';
import { TodoTool } from '../../tools/task/todo.js';
import { hookInputOf, paramsOfHook } from './hook-input.js';
import { hookNamesOf, matchedName } from './hook-names.js';

const claude = { names: 'claude', workspace: '/w' } as const;
const gemini = { names: 'gemini', workspace: '/w' } as const;

describe('what is typed into a job', () => {
  const typing = { name: 'jobs', params: { action: 'input', id: '1', text: 'rm a' } };
  const told = { action: 'input', id: '1', command: 'rm a' };

  it.each([claude, gemini])('is the command that a hook of %j is told, and is changed as one', (view) => {
    expect(hookInputOf(typing, view)).toEqual(told);
    const changed = paramsOfHook(typing, { ...told, command: 'ls' }, view.names);
    expect(changed).toEqual({ ...typing.params, text: 'ls' });
  });

  it.each(['run_shell_command', 'Bash', 'Shell', 'jobs'])('is meant by %s', (matcher) => {
    for (const { names } of [claude, gemini])
      expect(matchedName(matcher, hookNamesOf(typing, names))).toBe(matcher);
  });

  it('is told to a hook about every tool by the name that its agent has for a command', () => {
    expect(matchedName('*', hookNamesOf(typing, 'claude'))).toBe('Bash');
    expect(matchedName('*', hookNamesOf(typing, 'gemini'))).toBe('run_shell_command');
  });
});

it('a rename in all files is meant by the name of a patch', () => {
  const rename = { name: 'code', params: { action: 'rename' } };
  for (const names of ['claude', 'gemini'] as const)
    expect(matchedName('apply_patch', hookNamesOf(rename, names))).toBe('apply_patch');
});

const typing = { action: 'input', id: '1' };
it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
  ['jobs', { ...typing, text: 'rm a', command: 'ls' }, { ...typing, command: 'rm a' }],
  ['jobs', { command: 'ls', ...typing, text: 'rm a' }, { ...typing, command: 'rm a' }],
  ['agent', { agent: 'a', task: 't', prompt: 'x' }, { subagent_type: 'a', prompt: 't' }],
  ['agent', { subagent_type: 'x', agent: 'a', task: 't' }, { subagent_type: 'a', prompt: 't' }],
  ['skill', { name: 's', skill: 'x' }, { skill: 's' }],
  ['todo', { todos: [{ content: 'x' }], items: [] }, { todos: [] }],
  ['read_file', { absolute_path: '/a', file_path: '/b' }, { file_path: '/a' }],
  [
    'ask_user',
    { question: 'q', questions: [] },
    { questions: [{ question: 'q', header: '', options: [], multiSelect: false }] },
  ],
])('a parameter that %s does not have hides none that it has: %j', (name, params, told) => {
  expect(hookInputOf({ name, params }, claude)).toEqual(told);
});

it('a question and a list that a hook gives in place of others are calls that the tools take', () => {
  const asking = new AskUserTool(async () => ({ action: 'decline' }));
  const listing = new TodoTool();
  for (const [tool, params] of [
    [asking, { question: 'Tea?' }],
    [asking, { question: 'Tea?', choices: ['yes', 'no'], several: true }],
    [listing, { items: [{ text: 'cut', state: 'active' }] }],
  ] as const) {
    const call = { name: tool.name, params };
    const back = paramsOfHook(call, hookInputOf(call, claude), 'claude');
    expect(checkParams(tool.parameterSchema, back)).toMatchObject({ ok: true, params });
  }
});

it('several questions that a hook gives in place of one make no call', () => {
  const call = { name: 'ask_user', params: { question: 'Tea?' } };
  expect(() => paramsOfHook(call, { questions: [{ question: 'a' }, { question: 'b' }] }, 'claude')).toThrow(
    'it gave 2 questions, and only one can be asked at a time',
  );
});
