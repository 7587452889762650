import { describe, expect, it } from 'vitest';
import type { Revision } from '../packages/core/src/serve/fixtures/official-client.js';
import { sendPost } from '../packages/core/src/serve/fixtures/post.js';
import { isConfined } from './confined.js';
import { type Listening, serveStages } from './mcp/serve-stage.js';

const stage = serveStages('HTTP, streams, completion and logging');
const revisions: Revision[] = ['2025-11-25', '2026-07-28'];

/** A request of the older revisions. */
function send(
  { url, token }: Listening,
  body: object | null,
  headers: Record<string, string>,
  signal?: AbortSignal,
) {
  return fetch(url, {
    method: body === null ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: body === null ? 'text/event-stream' : 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
      ...headers,
    },
    ...(body === null ? {} : { body: JSON.stringify({ jsonrpc: '2.0', ...body }) }),
    ...(signal ? { signal } : {}),
  });
}

/** Reads a stream until its text has this. */
async function readUntil(response: Response, what: RegExp): Promise<string> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!what.test(text)) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`it ended with ${text}`);
    text += value;
  }
  return text;
}

async function openSession(server: Listening): Promise<Record<string, string>> {
  const clientInfo = { name: 'raw', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  const response = await send(server, { id: 1, method: 'initialize', params }, {});
  await response.text();
  return { 'mcp-session-id': response.headers.get('mcp-session-id') ?? '' };
}

const command = (line: string) => ({ name: 'run_shell_command', arguments: { command: line } });
const lastIdIn = (text: string): string => [...text.matchAll(/^id: (\S+)$/gm)].at(-1)?.[1] ?? '';

describe.runIf(isConfined)(
  'a client of the older revisions whose stream breaks in the middle of a call',
  () => {
    const line = 'echo one; sleep 1; echo two';
    const call = (server: Listening, session: Record<string, string>, signal: AbortSignal) => {
      const params = { ...command(line), _meta: { progressToken: 'p' } };
      return send(server, { id: 7, method: 'tools/call', params }, session, signal);
    };

    it('takes it up with Last-Event-ID and gets what it has missed, once, and the result', async (test) => {
      const { listen } = stage(test);
      const server = await listen(['-y']);
      const session = await openSession(server);
      const broken = new AbortController();
      const before = await readUntil(await call(server, session, broken.signal), /"message":"one"/);
      broken.abort();
      const last = lastIdIn(before);
      const resumed = await send(server, null, { ...session, 'last-event-id': last });
      expect(resumed.status).toBe(200);
      const after = await readUntil(resumed, /"id":7\}/);
      expect(after).toContain('"message":"two"');
      expect(after).not.toContain('"message":"one"');
      expect(after).toMatch(/"text":"[^"]*one\\ntwo/);
      console.log(
        `evidence: mcp serve went on after Last-Event-ID ${last}: ${after.split('\n').length} lines`,
      );
    });

    it('is refused with a place that nobody knows, and goes on in its session', async (test) => {
      const { listen } = stage(test);
      const server = await listen(['-y']);
      const session = await openSession(server);
      const unknown = await send(server, null, { ...session, 'last-event-id': 'made-up' });
      expect([unknown.status, await unknown.text()]).toEqual([
        400,
        expect.stringContaining('There is no such event, or no longer'),
      ]);
      const other = await openSession(server);
      const { signal } = new AbortController();
      const whole = await (await call(server, session, signal)).text();
      const foreign = await send(server, null, { ...other, 'last-event-id': lastIdIn(whole) });
      expect(foreign.status).toBe(400);
    });
  },
);

describe.each(revisions)('over HTTP, %s,', (revision) => {
  it('the ids of change sets are completed, and nothing else is', async (test) => {
    const { listen } = stage(test);
    const { client, call } = await (await listen(['-y'])).connect({ revision });
    const made: string[] = [];
    for (const file of ['a', 'b', 'c'])
      made.push((await call('write_file', { file_path: file, content: 'x' })).changeSet);
    const complete = async (uri: string, name: string, value: string) =>
      (await client.complete({ ref: { type: 'ref/resource', uri }, argument: { name, value } })).completion;
    const template = 'toolwright://changes/{id}';
    expect(await complete(template, 'id', '')).toEqual({
      values: made.toReversed(),
      total: 3,
      hasMore: false,
    });
    expect((await complete(template, 'id', made[1] ?? '')).values).toEqual([made[1]]);
    for (const [uri, name, value] of [
      [template, 'other', ''],
      ['toolwright://nothing/{id}', 'id', ''],
      [template, 'id', '../'],
    ] as const)
      expect((await complete(uri, name, value)).values).toEqual([]);
  });
});

describe.runIf(isConfined)('the output of a command comes as log messages', () => {
  it('in the older revisions, from the level that the client has set', async (test) => {
    const { listen } = stage(test);
    const { client, call } = await (await listen(['-y'])).connect({ revision: '2025-11-25' });
    const logged: unknown[] = [];
    client.setNotificationHandler('notifications/message', ({ params }) => void logged.push(params));
    await client.setLoggingLevel('info');
    await call('run_shell_command', { command: 'echo heard' });
    expect(logged).toContainEqual({ level: 'info', logger: 'run_shell_command', data: 'heard' });
    await client.setLoggingLevel('error');
    const before = logged.length;
    await call('run_shell_command', { command: 'echo unheard' });
    expect(logged).toHaveLength(before);
    await expect(client.setLoggingLevel('loud' as 'info')).rejects.toThrow();
  });

  it('in the newer one, where the request names a level', async (test) => {
    const { listen } = stage(test);
    const server = await listen(['-y']);
    const call = async (level?: string) =>
      (await sendPost(server, 'tools/call', command('echo heard'), level ? { logLevel: level } : {})).text();
    expect(await call('info')).toMatch(
      /"method":"notifications\/message","params":\{"level":"info","(data":"heard","logger":"run_shell_command|logger":"run_shell_command","data":"heard)"/,
    );
    for (const level of [undefined, 'error']) {
      const text = await call(level);
      expect(text).toContain('heard');
      expect(text).not.toContain('notifications/message');
    }
  });
});
