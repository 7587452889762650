import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FakeModelServer, startFakeModelServer } from '@toolwright/core/testing';
import { afterEach, expect, it } from 'vitest';
import { createMachine, type Machine } from './program.js';
import { calls, says } from './replay/stage.js';
import { type Receiver, type ReceiverOptions, startReceiver } from './telemetry/receiver.js';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

interface Stage {
  machine: Machine;
  server: FakeModelServer;
  receiver: Receiver;
  run(env: Record<string, string>, ...args: string[]): ReturnType<Machine['run']>;
}

async function stage(telemetry: object | null, options?: ReceiverOptions): Promise<Stage> {
  const machine = createMachine({ 'a.txt': 'one\n' });
  const receiver = await startReceiver(options);
  const server = await startFakeModelServer({
    answers: [
      calls(
        ['read_file', { absolute_path: 'a.txt' }],
        ['write_file', { file_path: 'b.txt', content: 'top secret plan' }],
      ),
      says('There is one line.'),
    ],
  });
  open.push({ close: async () => machine.cleanup() }, receiver, server);
  mkdirSync(machine.state, { recursive: true, mode: 0o700 });
  if (telemetry) writeFileSync(join(machine.state, 'settings.json'), JSON.stringify({ telemetry }));
  const base = { ...server.environment('openai'), OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url };
  return {
    machine,
    server,
    receiver,
    run: (env, ...args) => machine.run(['-p', 'Look at it.', ...args], { env: { ...base, ...env } }),
  };
}

it('the program sends the spans and metrics of a prompt, without a word of what was said', async () => {
  const { receiver, run } = await stage({ enabled: true });
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const env = {
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc,x-team=tools',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    TRACEPARENT: traceparent,
  };
  const { code, stderr } = await run(env);
  expect([code, receiver.problems], stderr).toEqual([54, []]);
  const byName = new Map(receiver.spans.map((span) => [span.name, span]));
  expect([...byName.keys()].sort()).toEqual([
    'chat fake-model',
    'execute_tool read_file',
    'execute_tool write_file',
    'invoke_agent toolwright',
  ]);
  expect(receiver.spans.length).toBe(5);
  const agent = byName.get('invoke_agent toolwright')!;
  const common = { 'gen_ai.conversation.id': expect.stringMatching(/^\w{24}$/) as unknown };
  const model = { 'gen_ai.provider.name': 'openai', 'gen_ai.request.model': 'fake-model' };
  expect(agent).toMatchObject({
    kind: 1,
    traceId: '0af7651916cd43dd8448eb211c80319c',
    parentSpanId: 'b7ad6b7169203331',
    attributes: {
      ...common,
      ...model,
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.usage.input_tokens': '2000',
      'gen_ai.usage.output_tokens': '40',
      'toolwright.end_reason': 'done',
      'toolwright.turns': '2',
    },
  });
  expect(byName.get('chat fake-model')).toMatchObject({
    kind: 3,
    parentSpanId: agent.spanId,
    attributes: { ...common, ...model, 'gen_ai.operation.name': 'chat', 'gen_ai.usage.input_tokens': '1000' },
  });
  expect(byName.get('execute_tool read_file')).toMatchObject({
    parentSpanId: agent.spanId,
    attributes: {
      ...common,
      'gen_ai.tool.name': 'read_file',
      'gen_ai.tool.call.id': expect.stringMatching(/./) as unknown,
    },
  });
  expect(byName.get('execute_tool write_file')).toMatchObject({
    status: { code: 2, message: 'denied' },
    attributes: { 'error.type': 'denied', 'toolwright.decision': 'ask', 'toolwright.outcome': 'cancel' },
  });
  expect(receiver.metrics.map(({ name }) => name).sort()).toEqual([
    'gen_ai.client.operation.duration',
    'gen_ai.client.token.usage',
    'gen_ai.execute_tool.duration',
    'gen_ai.invoke_agent.duration',
    'toolwright.denials',
    'toolwright.question.duration',
    'toolwright.questions',
  ]);
  const [first] = receiver.requests;
  expect(first?.headers).toMatchObject({ authorization: 'Bearer abc', 'x-team': 'tools' });
  const sent = receiver.requests.map(({ text }) => text).join('\n');
  expect(
    ['Look at it', 'top secret', 'There is one', 'b.txt', 'a.txt'].filter((word) => sent.includes(word)),
  ).toEqual([]);
  console.log(
    `evidence: spans as received:\n${receiver.spans.map((span) => JSON.stringify(span)).join('\n')}`,
  );
});

it('the program sends what was said only with the second switch, and secrets never', async () => {
  const { receiver, run } = await stage({ enabled: true, content: true });
  await run({ MY_API_TOKEN: 'There is one line' });
  const sent = receiver.requests.map(({ text }) => text).join('\n');
  expect(['Look at it', 'top secret plan', 'b.txt'].filter((word) => sent.includes(word))).toHaveLength(3);
  expect(sent).not.toContain('There is one line');
  expect(receiver.problems).toEqual([]);
});

it('the program sends nothing unless it is enabled, whatever the environment names, and nothing where that turns it off', async () => {
  const off = await stage(null);
  expect((await off.run({})).stdout).toBe('There is one line.\n');
  const disabled = await stage({ enabled: true });
  await disabled.run({ OTEL_SDK_DISABLED: 'true' });
  expect([off.receiver.requests, disabled.receiver.requests]).toEqual([[], []]);
});

it.each([
  ['is not there', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }, {}],
  ['never answers', {}, { isSilent: true }],
  ['refuses everything', {}, { statuses: Array.from({ length: 50 }, () => 500) }],
])('a collector that %s changes nothing for the user', async (_, env, options) => {
  const { run, receiver } = await stage({ enabled: true }, options);
  const { code, stdout, stderr } = await run(env);
  expect([code, stdout]).toEqual([54, 'There is one line.\n']);
  expect(stderr).not.toMatch(/elemetry|collector|127\.0\.0\.1/);
  expect(receiver.requests).toEqual([]);
});

it('the program says what is wrong with an address or a protocol that can not be used', async () => {
  const { run } = await stage({ enabled: true });
  const grpc = await run({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' });
  expect([grpc.code, grpc.stderr]).toEqual([
    52,
    'toolwright: Telemetry is sent over HTTP as JSON; OTEL_EXPORTER_OTLP_PROTOCOL is grpc. Set it to http/json, or leave it out.\n',
  ]);
});
