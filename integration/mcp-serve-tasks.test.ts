import { describe, expect, it } from 'vitest';
import { post } from '../packages/core/src/serve/fixtures/post.js';
import { type Listening, serveStages } from './mcp/serve-stage.js';
import { processesOf } from './mcp/stage.js';

const stage = serveStages('HTTP, tasks across a restart');
const token = 'a-token-of-the-user-000123456789';
const flags = ['--allowed-tools', 'Shell(sleep)', '--allowed-tools', 'Shell(echo)'];
const shell = (command: string) => ({ name: 'run_shell_command', arguments: { command } });

describe('a client that comes back after a restart of the server', () => {
  it.for<[string, (server: Listening) => void]>([
    ['by a signal', ({ kill }) => kill('SIGTERM')],
    ['by a signal that nothing survives', ({ kill }) => kill('SIGKILL')],
  ])('gets the results of finished tasks, and hears that the running one died, %s', async ([, end], test) => {
    const { listen, machine } = stage(test);
    const open = async () => ({ ...(await listen(flags, { TOOLWRIGHT_MCP_TOKEN: token })), token });
    const first = await open();
    const begin = async (command: string): Promise<string> =>
      (await post(first, 'tools/call', shell(command))).result.taskId;
    const [short, long] = await Promise.all([begin('sleep 7; echo slept well'), begin('sleep 323')]);
    const statusOf = async (taskId: string) => (await post(first, 'tasks/get', { taskId })).result.status;
    await expect.poll(() => statusOf(short)).toBe('completed');
    expect(await statusOf(long)).toBe('working');
    end(first);
    await first.ended;
    const second = await open();
    const finished = await post(second, 'tasks/get', { taskId: short });
    expect(JSON.stringify(finished.result)).toContain('slept well');
    const dead = await post(second, 'tasks/get', { taskId: long });
    expect(dead.result).toMatchObject({ status: 'failed' });
    expect(dead.result.error.message).toContain('The server ended before this task was done.');
    const left = (): boolean => processesOf(machine).some((line) => line.includes('sleep 323'));
    await expect.poll(left).toBe(false);
    expect((await post(second, 'tasks/cancel', { taskId: long })).result).toMatchObject({});
  });
});
