import { expect, it } from 'vitest';
import { post } from '../packages/core/src/serve/fixtures/post.js';
import { serveStages } from './mcp/serve-stage.js';
import { processesOf } from './mcp/stage.js';

const stage = serveStages('HTTP, newer parts');

it('a long command becomes a task, which is looked at, and cancelled with all that it has started', async (test) => {
  const { listen, machine } = stage(test);
  const server = await listen(['--allowed-tools', 'Shell(sleep)']);
  const call = { name: 'run_shell_command', arguments: { command: 'sleep 322' } };
  const { result } = await post(server, 'tools/call', call);
  expect(result).toMatchObject({ resultType: 'task', status: 'working' });
  const { taskId } = result;
  expect((await post(server, 'tasks/get', { taskId })).result).toMatchObject({ status: 'working', taskId });
  expect((await post(server, 'tasks/get', { taskId }, { capabilities: {} })).error.code).toBe(-32_021);
  expect((await post(server, 'tasks/get', { taskId: 'no-such-task' })).error.code).toBe(-32_602);
  expect((await post(server, 'tasks/cancel', { taskId })).result).toMatchObject({ resultType: 'complete' });
  expect((await post(server, 'tasks/get', { taskId })).result.status).toBe('cancelled');
  await expect.poll(() => processesOf(machine).some((line) => line.includes('sleep 322'))).toBe(false);
});

it('wrong headers, revisions and answers are refused with the code that says why', async (test) => {
  const { listen } = stage(test);
  const server = await listen();
  const list = { name: 'list_directory', arguments: { path: '.' } };
  const codes = {
    'another method in the header': await post(server, 'tools/call', list, {
      headers: { 'mcp-method': 'tools/list' },
    }),
    'another name in the header': await post(server, 'tools/call', list, {
      headers: { 'mcp-name': 'write_file' },
    }),
    'another revision in the header': await post(server, 'tools/call', list, {
      headers: { 'mcp-protocol-version': '2031-01-01' },
    }),
    'an answer to no question': await post(server, 'tools/call', {
      ...list,
      requestState: 'guessed',
      inputResponses: { approval: { action: 'accept', content: { answer: 'once' } } },
    }),
    'a resource that is not there': await post(
      server,
      'resources/read',
      { uri: 'toolwright://changes/none' },
      { headers: { 'mcp-name': 'toolwright://changes/none' } },
    ),
    'a method that is not there': await post(server, 'tools/burn', {}),
  };
  expect(Object.fromEntries(Object.entries(codes).map(([what, { error }]) => [what, error?.code]))).toEqual({
    'another method in the header': -32_020,
    'another name in the header': -32_020,
    'another revision in the header': -32_020,
    'an answer to no question': -32_602,
    'a resource that is not there': -32_602,
    'a method that is not there': -32_601,
  });
  expect((await post(server, 'tools/call', list)).result.resultType).toBe('complete');
});

it('a question that nobody answers can not be used twice, and a flood of questions locks nobody out', async (test) => {
  const { listen } = stage(test);
  const server = await listen();
  const capabilities = { elicitation: {} };
  const ask = (index: number) =>
    post(
      server,
      'tools/call',
      { name: 'write_file', arguments: { file_path: `${index}.txt`, content: 'x' } },
      { capabilities },
    );
  const asked: Awaited<ReturnType<typeof post>>[] = [];
  for (let index = 0; index < 40; index += 1) asked.push(await ask(index));
  expect(asked.every(({ result }) => result.resultType === 'input_required')).toBe(true);
  const answer = (index: number) =>
    post(
      server,
      'tools/call',
      {
        name: 'write_file',
        arguments: { file_path: `${index}.txt`, content: 'x' },
        requestState: asked[index]?.result.requestState,
        inputResponses: { approval: { action: 'accept', content: { answer: 'once' } } },
      },
      { capabilities },
    );
  expect((await answer(0)).error.code).toBe(-32_602);
  expect((await answer(39)).result).toMatchObject({ resultType: 'complete' });
  expect((await answer(39)).error.code).toBe(-32_602);
  const other = await server.connect({ revision: '2026-07-28' });
  expect((await other.call('list_directory', { path: '.' })).text).toContain('39.txt');
});
