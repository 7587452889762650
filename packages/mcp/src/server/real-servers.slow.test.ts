import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { textOf } from '@toolwright/machine/base/content.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {
  McpConnection,
  McpElicitRequest,
  McpProgress,
  McpSampleRequest,
} from '../contract/connection.js';
import { createMcpBench, never, packageFile } from '../fixtures/mcp-bench.js';
import { expandTemplate } from '../lists/expand-template.js';

const everything = packageFile('@modelcontextprotocol/server-everything/dist/index.js');
const bench = createMcpBench();
afterAll(() => bench.close());

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

async function startEverything(
  mode: 'streamableHttp' | 'sse',
): Promise<{ child: ChildProcess; port: number }> {
  const port = await freePort();
  const child = spawn(process.execPath, [everything, mode], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await new Promise<void>((resolve) => {
    child.stderr?.on('data', (chunk) => {
      if (String(chunk).includes(String(port))) resolve();
    });
  });
  return { child, port };
}

async function tour(server: McpConnection): Promise<string> {
  const tools = await server.listTools(never);
  const echo = await server.callTool('echo', { message: 'hello' }, { signal: never });
  expect(textOf(echo.parts)).toBe('Echo: hello');
  const image = await server.callTool('get-tiny-image', {}, { signal: never });
  expect(image.parts.some(({ inlineData }) => inlineData?.mimeType === 'image/png')).toBe(true);
  const prompts = await server.listPrompts(never);
  const prompt = await server.getPrompt('simple-prompt', {}, never);
  expect(prompt.messages[0]?.role).toBe('user');
  const resources = await server.listResources(never);
  const first = resources.items[0];
  const content = await server.readResource(first?.uri ?? '', never);
  expect(textOf(content.parts)).toContain(first?.uri);
  return `${server.info.name} ${server.info.version} over ${server.info.transport}, protocol ${server.info.protocolVersion}: ${tools.items.length} tools, ${prompts.items.length} prompts, ${resources.items.length} resources, spawn ${server.info.timings.spawnMs} ms, initialize ${server.info.timings.initializeMs} ms`;
}

describe('server-everything over stdio', () => {
  const elicited: McpElicitRequest[] = [];
  const sampled: McpSampleRequest[] = [];
  let server: McpConnection;
  beforeAll(async () => {
    server = await bench.open(
      'everything',
      { command: process.execPath, args: [everything, 'stdio'] },
      {
        async onElicit(request) {
          elicited.push(request);
          return { action: 'decline' };
        },
        async onSample(request) {
          sampled.push(request);
          return { text: 'forty-two', model: 'test' };
        },
      },
    );
  });

  it('is listed, called and read', async () => {
    console.log(`evidence: ${await tour(server)}`);
  });

  it('gives structured content, checked against its schema', async () => {
    const result = await server.callTool(
      'get-structured-content',
      { location: 'New York' },
      { signal: never },
    );
    expect(result.warnings).toEqual([]);
    expect(result.structured).toMatchObject({ conditions: expect.any(String) });
    expect(result.parts).toHaveLength(1);
  });

  it('gives resource links and embedded resources as parts', async () => {
    const links = await server.callTool('get-resource-links', { count: 2 }, { signal: never });
    expect(textOf(links.parts)).toMatch(/\[resource \S+: .+\]/);
    const embedded = await server.callTool('get-resource-reference', { resourceId: 1 }, { signal: never });
    expect(textOf(embedded.parts)).toMatch(/\[demo:\/\/\S+\]/);
  });

  it('lists templates of resources, reads one that was filled in, and takes subscriptions', async () => {
    const { items, warnings } = await server.listResourceTemplates(never);
    expect(warnings).toEqual([]);
    const template = items.find(({ uriTemplate }) => uriTemplate.includes('text'))?.uriTemplate ?? '';
    const uri = await expandTemplate(template, { resourceId: '1' });
    expect(textOf((await server.readResource(uri, never)).parts)).toContain(uri);
    expect(await server.subscribe(uri, never)).toBe(true);
    await server.unsubscribe(uri, never);
    console.log(`evidence: server-everything: ${items.length} templates, ${template} read as ${uri}`);
  });

  it('reports progress', async () => {
    const steps: McpProgress[] = [];
    const args = { duration: 0.4, steps: 4 };
    await server.callTool('trigger-long-running-operation', args, {
      signal: never,
      onProgress: (step) => steps.push(step),
    });
    expect(steps.map(({ progress, total }) => `${progress}/${total}`)).toEqual(['1/4', '2/4', '3/4', '4/4']);
  });

  it('is told when a call is cancelled, and the caller gets their own reason', async () => {
    const controller = new AbortController();
    const reason = { kind: 'user' };
    const call = server.callTool(
      'trigger-long-running-operation',
      { duration: 30, steps: 300 },
      { signal: controller.signal, onProgress: () => controller.abort(reason) },
    );
    await expect(call).rejects.toBe(reason);
    expect(server.state).toBe('ready');
  });

  it('completes arguments', async () => {
    const prompts = (await server.listPrompts(never)).items.map(({ name }) => name);
    const prompt = prompts.find((name) => name.includes('complet')) ?? '';
    const values = await server.complete({ of: { prompt }, argument: 'department', typed: 'E' }, never);
    expect(values).toContain('Engineering');
  });

  it('asks for sampling and elicitation through us', async () => {
    const answer = await server.callTool(
      'trigger-sampling-request',
      { prompt: 'What is six times seven?', maxTokens: 50 },
      { signal: never },
    );
    expect(textOf(answer.parts)).toContain('forty-two');
    expect(sampled[0]).toMatchObject({ server: 'everything', maxTokens: 50 });
    const declined = await server.callTool('trigger-elicitation-request', {}, { signal: never });
    expect(textOf(declined.parts)).toMatch(/declin/i);
    expect(elicited[0]).toMatchObject({ kind: 'form', server: 'everything' });
  });

  it('stops the clock of a call while the user is asked', async () => {
    const patient = await bench.open(
      'patient',
      { command: process.execPath, args: [everything, 'stdio'] },
      {
        limits: { callIdle: 2_000, callHard: 3_000 },
        async onElicit() {
          await bench.needs.clock.sleep(3_500);
          return { action: 'cancel' };
        },
      },
    );
    const result = await patient.callTool('trigger-elicitation-request', {}, { signal: never });
    expect(textOf(result.parts)).toMatch(/cancel/i);
  });

  it('learns the roots', async () => {
    const roots = await server.callTool('get-roots-list', {}, { signal: never });
    expect(textOf(roots.parts)).toContain(bench.directory);
  });

  it('says what is wrong with arguments', async () => {
    const call = await server.callTool('get-sum', { a: 'x' }, { signal: never }).then(
      (result) => `${result.isError} ${textOf(result.parts)}`,
      (error: Error) => error.message,
    );
    expect(call).toMatch(/invalid/i);
  });
});

describe.each(['streamableHttp', 'sse'] as const)('server-everything over %s', (mode) => {
  let child: ChildProcess;
  let port: number;
  beforeAll(async () => {
    ({ child, port } = await startEverything(mode));
  });
  afterAll(() => void child.kill('SIGKILL'));

  it('is found out, listed, called and read', async () => {
    const path = mode === 'sse' ? 'sse' : 'mcp';
    const server = await bench.open(`everything-${mode}`, { url: `http://127.0.0.1:${port}/${path}` });
    expect(server.info.transport).toBe(mode === 'sse' ? 'sse' : 'http');
    console.log(`evidence: ${await tour(server)}`);
    await server.close();
    expect(server.state).toBe('closed');
  });
});

it('server-filesystem is listed and called', async () => {
  writeFileSync(join(bench.directory, 'hello.txt'), 'hello from a file\n');
  const server = await bench.open('files', {
    command: process.execPath,
    args: [packageFile('@modelcontextprotocol/server-filesystem/dist/index.js'), bench.directory],
  });
  const tools = await server.listTools(never);
  const read = await server.callTool(
    'read_text_file',
    { path: join(bench.directory, 'hello.txt') },
    { signal: never },
  );
  expect(textOf(read.parts)).toContain('hello from a file');
  const outside = await server.callTool('read_text_file', { path: '/etc/passwd' }, { signal: never });
  expect(outside.isError).toBe(true);
  console.log(`evidence: ${server.info.name}: ${tools.items.length} tools, read_text_file answered`);
});

it('server-memory is listed and called', async () => {
  const server = await bench.open('memory', {
    command: process.execPath,
    args: [packageFile('@modelcontextprotocol/server-memory/dist/index.js')],
    env: { MEMORY_FILE_PATH: join(bench.directory, 'memory.jsonl') },
  });
  const tools = await server.listTools(never);
  const entities = [{ name: 'Ada', entityType: 'person', observations: ['wrote the first program'] }];
  await server.callTool('create_entities', { entities }, { signal: never });
  const graph = await server.callTool('read_graph', {}, { signal: never });
  expect(graph.structured).toMatchObject({ entities: [{ name: 'Ada' }] });
  expect(graph.warnings).toEqual([]);
  console.log(`evidence: ${server.info.name}: ${tools.items.length} tools, read_graph answered`);
});
