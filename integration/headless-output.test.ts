import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AgentEvent, ConfirmRequest } from '@toolwright/core';
import { afterAll, describe, expect, it } from 'vitest';
import { calls, killAtRequest, linesOf, openStage, type Stage } from './headless/run.js';
import { eventTypes, problemForReader, problemIn, requiredFields } from './headless/schema.js';

type Format = 'json' | 'stream-json';
type Line = Record<string, unknown>;

interface Situation {
  name: string;
  wire?: 'openai' | 'anthropic';
  script: Parameters<typeof openStage>[0];
  args?: string[];
  code: number;
  /** Parts of the object that `json` prints and `stream-json` ends with. */
  result: object;
  /** Types of events that must be there. */
  sees?: string[];
  prepare?(stage: Stage): Promise<void>;
  killAt?: number;
}

const usage = { inputTokens: 100, outputTokens: 20, cachedTokens: 60, reasoningTokens: 5 };
const refused = { status: 401, body: { error: { message: 'bad key', type: 'authentication_error' } } };

const situations: Situation[] = [
  {
    name: 'text alone, with thoughts and tokens',
    wire: 'anthropic',
    script: { answers: [{ thinking: 'Let me see.', text: ['Hello ', 'there.'], usage }] },
    code: 0,
    result: { response: 'Hello there.', stats: { reason: 'done', turns: 1, calls: 0 }, changes: [] },
    sees: ['session-start', 'thinking-delta', 'text-delta', 'usage-report', 'result'],
  },
  {
    name: 'calls that run, fail, and can not be read',
    script: {
      answers: [
        {
          text: 'I will look.',
          calls: [
            calls.read,
            { name: 'read_file', arguments: { absolute_path: 'none.txt' } },
            { name: 'no_such_tool', arguments: {} },
            { name: 'glob', arguments: '[broken' },
          ],
        },
        { text: 'It says alpha.', usage },
      ],
    },
    code: 0,
    result: { response: 'It says alpha.', stats: { calls: 4, turns: 2, usage } },
    sees: ['call-start', 'call-end'],
  },
  {
    name: 'a change that is allowed',
    script: { answers: [{ calls: [calls.read] }, { calls: [calls.edit] }, { text: 'Done.' }] },
    args: ['--approval-mode', 'auto-edit'],
    code: 0,
    result: { permission_denials: [], changes: [expect.any(String)] },
    sees: ['call-end'],
  },
  {
    name: 'a change and a fetch that nobody could be asked about',
    script: {
      answers: [
        { calls: [calls.write, { name: 'web_fetch', arguments: { url: 'http://a.example/', prompt: 'x' } }] },
        { text: 'Not allowed.' },
      ],
    },
    code: 54,
    result: {
      permission_denials: [
        expect.objectContaining({ tool: 'write_file', by: 'nobody-to-ask' }),
        expect.objectContaining({ tool: 'web_fetch', by: 'nobody-to-ask' }),
      ],
      changes: [],
    },
    sees: ['call-ask'],
  },
  {
    name: 'a call that a rule forbids',
    script: { answers: [{ calls: [calls.read] }, { calls: [calls.edit] }, { text: 'Forbidden.' }] },
    args: ['-y', '--settings', 'deny.json'],
    prepare: async ({ machine }) =>
      machine.write('deny.json', JSON.stringify({ permissions: { deny: ['Edit(a.txt)'] } })),
    code: 0,
    result: { permission_denials: [expect.objectContaining({ tool: 'edit', by: 'rule' })], changes: [] },
  },
  {
    name: 'a page that is fetched, with live output',
    script: { otherwise: { text: 'The page says hello.' } },
    prepare: fetchPage,
    args: ['-y', '--settings', 'rules.json'],
    code: 0,
    result: { stats: { calls: 1 } },
    sees: ['call-update'],
  },
  {
    name: 'an overloaded host that answers the second time',
    script: {
      answers: [
        { status: 503, body: { error: { message: 'busy' } }, headers: { 'retry-after': '0' } },
        { text: 'Back.' },
      ],
    },
    code: 0,
    result: { response: 'Back.' },
    sees: ['notice'],
  },
  {
    name: 'a key that is refused',
    script: { otherwise: refused },
    code: 41,
    result: { response: '', stats: { reason: 'failed' }, error: { kind: 'auth' } },
  },
  {
    name: 'a request that is refused after a denial',
    script: {
      answers: [
        { calls: [calls.write] },
        { status: 400, body: { error: { message: 'bad', type: 'invalid_request_error' } } },
      ],
    },
    code: 1,
    result: { error: { kind: 'bad-request' }, permission_denials: [{ by: 'nobody-to-ask' }] },
  },
  {
    name: 'an answer that breaks off once',
    script: { answers: [{ text: 'Half of', afterwards: 'cut' }, { text: 'Half of it, and the rest.' }] },
    code: 0,
    sees: ['answer-restart'],
    result: { stats: { reason: 'done', turns: 1 }, response: 'Half of it, and the rest.' },
  },
  {
    name: 'a model that says nothing',
    script: { otherwise: { text: '' } },
    code: 1,
    result: { stats: { reason: 'failed' }, error: { kind: 'empty' }, response: '' },
  },
  {
    name: 'a model that goes in circles',
    script: { otherwise: { calls: [calls.read] } },
    code: 1,
    result: { stats: { reason: 'failed' }, error: { kind: 'loop' } },
  },
  {
    name: 'the turn limit, after a denial',
    script: { otherwise: { text: 'Again.', calls: [calls.write] } },
    args: ['--max-turns', '1'],
    code: 53,
    result: { stats: { reason: 'turn-limit', turns: 1 }, permission_denials: [{ by: 'nobody-to-ask' }] },
  },
  {
    name: 'a cancelled run, after a denial',
    script: { answers: [{ calls: [calls.write] }, { text: 'Half', afterwards: 'silence' }] },
    killAt: 2,
    code: 130,
    result: { stats: { reason: 'cancelled' }, permission_denials: [{ by: 'nobody-to-ask' }] },
  },
];

/** A page on this machine, a rule that opens it, and a model that asks for it. */
async function fetchPage({ machine, server }: Stage): Promise<void> {
  const page = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' }).end('hello\n');
  }).listen(0, '127.0.0.1');
  pages.push(page);
  await once(page, 'listening');
  const { port } = page.address() as AddressInfo;
  machine.write('rules.json', JSON.stringify({ permissions: { allow: [`Fetch(127.0.0.1:${port})`] } }));
  server.answer({
    calls: [{ name: 'web_fetch', arguments: { url: `http://127.0.0.1:${port}/`, prompt: 'What?' } }],
  });
}
const pages: ReturnType<typeof createServer>[] = [];

const seen: { format: Format; line: Line }[] = [];
let runs = 0;

async function runIn(situation: Situation, format: Format): Promise<Line[]> {
  const stage = await openStage(situation.script, situation.wire);
  try {
    await situation.prepare?.(stage);
    const ended = await stage.run(
      ['-p', 'Go.', '--output-format', format, ...(situation.args ?? [])],
      situation.killAt ? { onStart: killAtRequest(stage.server, situation.killAt) } : {},
    );
    expect(ended.stdout.endsWith('\n'), ended.stderr).toBe(true);
    expect(ended.code, ended.stdout + ended.stderr).toBe(situation.code);
    runs += 1;
    return linesOf(ended.stdout);
  } finally {
    await stage.close();
  }
}

afterAll(() => {
  for (const page of pages) page.close();
});

describe.each(situations)('$name', (situation) => {
  it('prints one object that fits the schema', async () => {
    const lines = await runIn(situation, 'json');
    expect(lines).toHaveLength(1);
    expect(problemIn(lines[0], 'json')).toBeNull();
    expect(lines[0]).toMatchObject(situation.result);
    seen.push({ format: 'json', line: lines[0]! });
  });

  it('prints events that fit the schema, and the object last', async () => {
    const lines = await runIn(situation, 'stream-json');
    for (const line of lines) expect(problemIn(line, 'stream-json'), JSON.stringify(line)).toBeNull();
    for (const line of lines) expect(problemForReader(line)).toBeNull();
    const types = lines.map(({ type }) => type);
    expect(types).toEqual(expect.arrayContaining(situation.sees ?? []));
    expect([types.at(0), types.at(-1)]).toEqual(['session-start', 'result']);
    expect(lines.at(-1)).toMatchObject(situation.result);
    expect(lines.at(-1)?.['session_id']).toBe(lines[0]?.['session_id']);
    const ids = (type: string) => lines.filter((line) => line['type'] === type).map(({ callId }) => callId);
    expect(ids('call-end').sort()).toEqual(ids('call-start').sort());
    seen.push(...lines.map((line) => ({ format: 'stream-json' as const, line })));
  });
});

describe('the schema', () => {
  it('has a line of every kind behind it', () => {
    const types = new Set(seen.map(({ line }) => line['type']).filter((type) => type !== undefined));
    expect([...types].sort()).toEqual([...eventTypes].sort());
    console.log(
      `evidence: headless output: ${seen.length} lines of ${runs} runs fit docs/headless.schema.json; event types seen: ${types.size} of ${eventTypes.length}`,
    );
  });

  it('refuses every one of these lines when a field is missing, of another type, renamed or unknown', () => {
    let refusals = 0;
    for (const { format, line } of seen) {
      for (const broken of brokenForms(format, line)) {
        expect(problemIn(broken, format), JSON.stringify(broken)).not.toBeNull();
        refusals += 1;
      }
    }
    expect(refusals).toBeGreaterThan(seen.length * 5);
    console.log(`evidence: headless output: ${refusals} broken samples, all refused by the schema`);
  });

  it('lets readers live with fields that a later version adds', () => {
    for (const { line } of seen) expect(problemForReader({ ...line, later: { added: true } })).toBeNull();
  });

  it.each(questions())('fits the question of kind $details.kind', (request) => {
    const line = { v: 1, type: 'call-ask', callId: 'c1', request };
    expect(problemIn(line, 'stream-json')).toBeNull();
    const { effects: _effects, ...details } = request.details;
    expect(problemIn({ ...line, request: { ...request, details } }, 'stream-json')).not.toBeNull();
  });

  it('is what the document links to, and the document names every type', () => {
    const document = readFileSync(new URL('../docs/headless.md', import.meta.url), 'utf8');
    expect(document).toContain('(headless.schema.json)');
    for (const type of eventTypes) expect(document).toContain(`| \`${type}\``);
    const known: Record<AgentEvent['type'], true> = {
      'session-start': true,
      'text-delta': true,
      'thinking-delta': true,
      notice: true,
      'answer-restart': true,
      'call-start': true,
      'call-ask': true,
      'call-update': true,
      'call-end': true,
      'usage-report': true,
      result: true,
    };
    expect(Object.keys(known).sort()).toEqual([...eventTypes].sort());
  });
});

function* brokenForms(format: Format, line: Line): Generator<Line> {
  for (const field of requiredFields(format === 'json' ? 'json' : String(line['type']))) {
    const { [field]: value, ...rest } = line;
    yield rest;
    yield { ...rest, [`${field}Renamed`]: value };
    yield { ...rest, [field]: typeof value === 'number' ? 'text' : 7 };
    yield { ...rest, [field]: null };
  }
  yield { ...line, unknown: 1 };
  yield { ...line, v: 2 };
}

/** Questions that no tool of this version asks yet, typed as the program would send them. */
function questions(): ConfirmRequest[] {
  const rest = { callId: 'c1', tool: 't', description: 'd', reason: 'r', modifiable: false };
  const offers = [{ rule: 'Mcp(s)', allows: 'every tool of the MCP server s' }];
  const effects = [{ kind: 'mcp' as const, server: 's', tool: 't' }];
  const run = {
    command: 'ls',
    directory: '/w',
    readOnly: true,
    network: false,
    background: false,
    commands: null,
  };
  return [
    { ...rest, offers, details: { kind: 'mcp', title: 't', server: 's', tool: 't', arguments: {}, effects } },
    {
      ...rest,
      offers,
      details: {
        kind: 'exec',
        title: 't',
        command: 'ls',
        directory: '/w',
        output: '',
        diff: { kind: 'diff', files: [] },
        modifiable: { command: 'ls' },
        effects: [
          { kind: 'execute', ...run },
          { kind: 'memory', scope: 'project', path: '/w/AGENTS.md' },
          { kind: 'delete', path: '/w/x' },
        ],
      },
    },
  ];
}
