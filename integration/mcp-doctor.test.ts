import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, it, type TestContext } from 'vitest';
import { countLeft, type McpStage, openMcpStage, processesOf, server } from './mcp/stage.js';
import type { Ended } from './program.js';

let examined = 0;
const noteLeft = countLeft(() => `mcp doctor: processes left after ${examined} examinations`);

type Finished = TestContext['onTestFinished'];

async function stage(
  onTestFinished: Finished,
  servers: Parameters<typeof openMcpStage>[0] = {},
): Promise<McpStage> {
  const opened = await openMcpStage(servers);
  onTestFinished(async () => {
    const living = processesOf(opened.machine);
    await opened.close();
    noteLeft(living);
  });
  return opened;
}

const file = (name: string): string => fileURLToPath(new URL(`servers/${name}.mjs`, import.meta.url));

async function examine({ run }: McpStage, ...args: string[]): Promise<Ended> {
  examined += 1;
  return run(['mcp', 'doctor', ...args]);
}

it.concurrent('a good server of the settings has nothing to mend, and it is said what was not called', async ({
  onTestFinished,
}) => {
  const one = await stage(onTestFinished, { memory: server.memory });
  const { stdout, code } = await examine(one, 'memory');
  expect(code, stdout).toBe(0);
  console.log(`evidence: mcp doctor memory\n${stdout.replace(/^/gm, '  | ')}`);
  for (const line of [
    /^ok {4}start {9}started in \d+ ms$/m,
    /^ok {4}handshake {5}memory-server \S+, protocol 2025-11-25, in \d+ ms; offers tools/m,
    /^ok {4}list {10}9 tools in \d+ ms$/m,
    /^ok {4}names {9}9 names, fit for every provider$/m,
    /^ok {4}schemas {7}anthropic: every schema is sent without a loss$/m,
    /^warn {2}schemas {7}no description; the model has to guess: create_entities\.entities, /m,
    /^ok {4}calls {9}read_graph answered after \d+ ms/m,
    /^note {2}calls {9}not called: create_entities,/m,
    /^ok {4}mistakes {6}a call of a tool that does not exist is refused, and the server carries on$/m,
    /^ok {4}cancellation {2}after a request was withdrawn the next one was answered in \d+ ms$/m,
    /^ok {4}output {8}standard output carries messages only$/m,
    /^ok {4}end {11}it ended by itself when its input was closed, with status 0$/m,
    /^ok {4}end {11}processes left: 0$/m,
    /^To fix: 0\. Could be better: 1\.$/m,
  ])
    expect(stdout).toMatch(line);
});

it.concurrent('a program or an address that is not in the settings can be examined, and the report be JSON', async ({
  onTestFinished,
}) => {
  const one = await stage(onTestFinished);
  const program = await examine(one, '--json', '--', process.execPath, ...server.everything.args);
  expect(program.code, program.stdout).toBe(0);
  const report = JSON.parse(program.stdout) as {
    ok: boolean;
    name: string;
    tools: number;
    timings: Record<string, number>;
    findings: { stage: string; level: string; what: string }[];
  };
  expect(report).toMatchObject({ v: 1, ok: true, name: 'mcp-servers/everything' });
  expect(report.tools).toBeGreaterThan(5);
  expect(Object.values(report.timings).every((time) => typeof time === 'number')).toBe(true);
  expect(report.findings).toContainEqual(expect.objectContaining({ stage: 'schemas', level: 'note' }));
  const address = await examine(one, '--http', 'http://127.0.0.1:9/mcp');
  expect(address.code).toBe(1);
  expect(address.stdout).toMatch(/^FAIL {2}(start|handshake)/m);
});

it.concurrent('an address that answers with a web page is told what to answer instead', async ({
  onTestFinished,
}) => {
  const page = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('<h1>Welcome</h1>');
  });
  await new Promise<void>((resolve) => void page.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void page.close());
  const one = await stage(onTestFinished);
  const { port } = page.address() as AddressInfo;
  const { stdout, code } = await examine(one, '--http', `http://127.0.0.1:${port}/mcp`);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^FAIL {2}handshake/m);
  expect(stdout.replace(/\s+/g, ' ')).toContain('→ Answer a POST of initialize at this very address');
});

it.concurrent.for<[string, string[], RegExp[]]>([
  ['mute', [], [/^FAIL {2}handshake {5}it did not answer within 15 s/m, /waiting for a database/]],
  ['slow', [], [/^FAIL {2}mistakes {6}a call of a tool that does not exist was not answered within 5 s$/m]],
  ['crash', ['start'], [/^FAIL {2}handshake {5}it ended with status 3/m, /out of luck at start/]],
  ['crash', ['initialize'], [/^FAIL {2}handshake {5}it ended with status 3/m]],
  ['crash', ['list'], [/^FAIL {2}list {10}tools\/list: it ended with status 3/m]],
  ['crash', ['call'], [/^FAIL {2}mistakes {6}a call of a tool that does not exist ended the server$/m]],
  [
    'flood',
    ['line'],
    [
      /^FAIL {2}mistakes {6}a call of a tool that does not exist (ended the server|was not answered within 5 s)$/m,
    ],
  ],
  [
    'garbage',
    [],
    [/^FAIL {2}output {8}\d+ lines on standard output are not messages, such as "Listening on stdio…"$/m],
  ],
  ['duplicate-names', [], [/^FAIL {2}list {10}The tool "read" is listed more than once/m]],
  ['invalid-schemas', [], [/^FAIL {2}list {10}The tool "input_unknown_type" was left out/m]],
  ['five-thousand-tools', [], [/^warn {2}cost {10}5,000 tools: 1\.1 MB of every request/m]],
])('a server that is %s %j is told what to mend', async ([name, args, told], { onTestFinished }) => {
  const one = await stage(onTestFinished);
  const { stdout, stderr, code } = await examine(one, '--', process.execPath, file(name), ...args);
  expect(code, stdout + stderr).toBe(1);
  for (const line of told) expect(stdout).toMatch(line);
  const first = stdout.split('\n').find((line) => line.startsWith('FAIL'));
  console.log(`evidence: mcp doctor on ${[name, ...args].join(' ')}: ${first}`);
});

it.concurrent('without a server, or with two, it says how to name one', async ({ onTestFinished }) => {
  const { run } = await stage(onTestFinished);
  for (const args of [[], ['one', 'two'], ['--http', 'http://127.0.0.1:9', 'one'], ['--']]) {
    const { code, stderr } = await run(['mcp', 'doctor', ...args]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/mcp doctor (needs|examines) one server|no command after --/);
  }
  const { code, stderr } = await run(['mcp', 'doctor', 'gone']);
  expect(code).toBe(2);
  expect(stderr).toContain('There is no MCP server gone.');
});
