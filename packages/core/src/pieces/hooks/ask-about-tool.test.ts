import { expect, it } from 'vitest';
import { createAskHooks } from './ask-hooks.js';
import type { Hook } from './hook.js';
import type { HookAnswer } from './hook-answer.js';

const from = { path: '/h', shown: 'h', format: 'claude' as const, isOwn: true };
const hookOf = (command: string, more: Partial<Hook> = {}): Hook => ({
  event: 'PreToolUse',
  matcher: '',
  command,
  names: 'claude',
  timeoutMs: 1,
  line: 1,
  from,
  ...more,
});

/** Hooks whose programs answer at once; what they were asked is kept. */
function hooksThat(answers: Record<string, object>, hooks: Hook[], started: string[] = []) {
  const asked: { command: string; tool: string; input: Record<string, unknown> }[] = [];
  const none: HookAnswer = { decision: 'none', reason: '' };
  const ask = createAskHooks({
    hooks,
    sessionId: 's',
    journalPath: '/j',
    workspace: '/w',
    mode: () => 'default',
    started: {
      start({ command }) {
        started.push(command);
        return none;
      },
      settled: async () => undefined,
      close: async () => undefined,
    },
    async run({ command }, input) {
      const { tool_name, tool_input } = JSON.parse(input) as {
        tool_name: string;
        tool_input: Record<string, unknown>;
      };
      asked.push({ command, tool: tool_name, input: tool_input });
      const hookSpecificOutput = answers[command] ?? {};
      return { exitCode: 0, stdout: JSON.stringify({ hookSpecificOutput }), stderr: '', stopped: null };
    },
  });
  return { ask, asked };
}

const never = new AbortController().signal;

it('files that the condition of a hook leaves out do not count among the hundred that it is asked about', async () => {
  const { ask, asked } = hooksThat({}, [hookOf('guard', { matcher: 'Edit', condition: 'Edit(*.ts)' })]);
  const files = [...Array.from({ length: 150 }, (_, number) => `/w/${number}.md`), '/w/last.ts'];
  const tool = { name: 'apply_patch', callId: 'c', params: { patch: 'x' }, files };
  const { answers } = await ask.aboutTool('PreToolUse', tool, never);
  expect(asked.map(({ input }) => input['file_path'])).toEqual(['/w/last.ts']);
  expect(answers.map(({ decision }) => decision)).toEqual(['none']);
});

it('a hook is asked about a call that another hook made one of its own', async () => {
  const input = { action: 'rename', path: 'a.ts' };
  const { ask, asked } = hooksThat({ turn: { updatedInput: input } }, [
    hookOf('guard', { matcher: 'Edit' }),
    hookOf('turn', { matcher: 'code' }),
  ]);
  const tool = { name: 'code', callId: 'c', params: { action: 'references', path: 'a.ts' } };
  await ask.aboutTool('PreToolUse', tool, never);
  expect(asked.map(({ command, tool: name }) => `${command} ${name}`)).toEqual(['turn code', 'guard Edit']);
});

it('a hook is not asked about a call that another hook has made one it is not about', async () => {
  const { ask, asked } = hooksThat({ turn: { updatedInput: { action: 'references', path: 'a.ts' } } }, [
    hookOf('turn', { matcher: 'code' }),
    hookOf('guard', { matcher: 'Edit' }),
  ]);
  const tool = { name: 'code', callId: 'c', params: { action: 'rename', path: 'a.ts' } };
  await ask.aboutTool('PreToolUse', tool, never);
  expect(asked.map(({ command }) => command)).toEqual(['turn']);
});

it('a hook that nobody waits for is started once, also where another hook makes the call one of its own', async () => {
  const input = { action: 'rename', path: 'a.ts' };
  const started: string[] = [];
  const hooks = [
    hookOf('log', { matcher: 'Edit', isAsync: true }),
    hookOf('every', { isAsync: true }),
    hookOf('turn', { matcher: 'code' }),
  ];
  const { ask } = hooksThat({ turn: { updatedInput: input } }, hooks, started);
  const tool = { name: 'code', callId: 'c', params: { action: 'references', path: 'a.ts' } };
  await ask.aboutTool('PreToolUse', tool, never);
  expect(started).toEqual(['every', 'log']);
});

it('a call is told by its absolute paths, typed input as a command, and what a hook changes comes back by our names', async () => {
  const { ask, asked } = hooksThat({ turn: { updatedInput: { subagent_type: 'general', prompt: 'x' } } }, [
    hookOf('guard', { matcher: 'Bash' }),
    hookOf('turn', { matcher: 'Task' }),
  ]);
  const typed = { name: 'jobs', callId: 'c', params: { action: 'input', id: '1', text: 'rm a' } };
  await ask.aboutTool('PreToolUse', typed, never);
  expect(asked).toMatchObject([{ tool: 'Bash', input: { command: 'rm a' } }]);
  const given = { name: 'agent', callId: 'c', params: { agent: 'explorer', task: 'look' } };
  const { tool } = await ask.aboutTool('PreToolUse', given, never);
  expect(tool?.params).toEqual({ agent: 'general', task: 'x' });
});

it('a hook whose arguments no tool of ours takes ends the call', async () => {
  const questions = [{ question: 'a' }, { question: 'b' }];
  const { ask } = hooksThat({ turn: { updatedInput: { questions } } }, [hookOf('turn', {})]);
  const asking = { name: 'ask_user', callId: 'c', params: { question: 'Tea?' } };
  const { answers, tool } = await ask.aboutTool('PreToolUse', asking, never);
  expect(answers).toMatchObject([{ decision: 'deny', reason: expect.stringContaining('2 questions') }]);
  expect(tool?.params).toEqual({ question: 'Tea?' });
});
