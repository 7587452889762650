import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { acpStage, choose } from './acp/stage.js';
import { server } from './mcp/stage.js';

type Stdio = { command: string; args: string[] };

const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill();
});

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}

/** The protocol's own example server, behind an address. */
async function startEverything(mode: 'streamableHttp' | 'sse'): Promise<number> {
  const port = await freePort();
  const { command, args } = server.everything;
  const child = spawn(command, [...args, mode], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  children.push(child);
  await new Promise<void>((resolve) => {
    child.stderr?.on('data', (text) => String(text).includes(String(port)) && resolve());
  });
  return port;
}

describe('an editor', () => {
  it('brings MCP servers behind addresses along, http and sse', async () => {
    const [http, sse] = await Promise.all([startEverything('streamableHttp'), startEverything('sse')]);
    const { editor, model } = await acpStage({
      answers: [
        {
          calls: [
            { name: 'over-http__echo', arguments: { message: 'one' } },
            { name: 'over-sse__echo', arguments: { message: 'two' } },
          ],
        },
        { text: 'Heard both.' },
      ],
    });
    const open = await editor({ permission: choose('allow_once', 'yes, this once') });
    const id = await open.begin({
      mcpServers: [
        { type: 'http', name: 'over-http', url: `http://127.0.0.1:${http}/mcp`, headers: [] },
        { type: 'sse', name: 'over-sse', url: `http://127.0.0.1:${sse}/sse`, headers: [] },
      ],
    });
    await open.prompt(id, 'Use over-http and over-sse');
    const heard = JSON.stringify(model.requests.at(-1)?.body);
    expect(heard).toContain('Echo: one');
    expect(heard).toContain('Echo: two');
  });

  it('fills in the form of an MCP server where it has forms, and declines where it has none', async () => {
    const { command, args } = server.misbehaving('asking') as Stdio;
    const form = { calls: [{ name: 'asking__form', arguments: {} }] };
    const { editor, model } = await acpStage({ answers: [form, { text: 'Three.' }, form, { text: 'No.' }] });
    const mcpServers = [{ name: 'asking', command, args, env: [] }];
    const asked: unknown[] = [];
    const open = await editor({
      permission: choose('allow_once', 'yes, this once'),
      capabilities: { elicitation: { form: {} } },
      elicit(request) {
        asked.push(request);
        return { action: 'accept', content: { count: 3 } };
      },
    });
    await open.prompt(await open.begin({ mcpServers }), 'Use asking');
    expect(asked).toMatchObject([
      {
        mode: 'form',
        message: expect.stringContaining('The MCP server asking asks: How many?'),
        requestedSchema: { properties: { count: { type: 'integer' } } },
      },
    ]);
    const response = (): string => {
      const messages = (model.requests.at(-1)?.body['messages'] ?? []) as { content: string }[];
      return messages.at(-1)?.content ?? '';
    };
    expect(JSON.parse(response())).toEqual({ action: 'accept', content: { count: 3 } });

    const plain = await editor({ permission: choose('allow_once', 'yes, this once') });
    await plain.prompt(await plain.begin({ mcpServers }), 'Use asking');
    expect(response()).toMatch(/cancel|decline/);
  });

  it('names further folders, whose files can be read and changed', async () => {
    const { editor, machine, model } = await acpStage();
    const other = join(dirname(machine.workspace), 'other');
    mkdirSync(other);
    writeFileSync(join(other, 'b.txt'), 'bravo\n');
    const path = join(other, 'b.txt');
    const open = await editor({ permission: choose('allow_once', 'yes, this once') });
    const edit = (before: string, after: string) => ({
      calls: [{ name: 'edit', arguments: { file_path: path, old_string: before, new_string: after } }],
    });
    const read = { calls: [{ name: 'read_file', arguments: { absolute_path: path } }] };
    model.answer(read, edit('bravo', 'beta'), { text: 'Changed.' });
    const id = await open.begin({ additionalDirectories: [other] });
    await open.prompt(id, 'Change it');
    expect(readFileSync(path, 'utf8')).toBe('beta\n');
    expect(open.of('tool_call').at(-1)?.locations).toContainEqual({ path });
    await expect(open.begin({ additionalDirectories: ['other'] })).rejects.toThrow('is not an absolute path');
  });

  it('that draws notices gets them as such, and no text of the answer for them', async () => {
    const { editor } = await acpStage({ otherwise: { text: 'Hello.' } });
    const open = await editor({ capabilities: { session: { notices: {} } } });
    const bad = { type: 'http' as const, name: 'bad', url: 'no address', headers: [] };
    const id = await open.begin({ mcpServers: [bad] });
    await open.prompt(id, 'Hello');
    expect(open.of('notice').map(({ title }) => title)).toContainEqual(
      expect.stringContaining('the server "bad"'),
    );
    expect(open.text()).toBe('Hello.');
  });
});
