import { textOf } from '@toolwright/machine/base/content.js';
import { messageOf } from '@toolwright/machine/base/errors.js';
import { afterAll, describe, expect, it, vi } from 'vitest';
import type { McpConnection, McpElicitRequest } from '../contract/connection.js';
import type { McpNeeds } from '../contract/needs.js';
import { createMcpBench, never, processesWith, serverFile } from '../fixtures/mcp-bench.js';

const bench = createMcpBench();
/** Others may run the same files at the same time. */
const mark = `mark-${process.pid}`;
afterAll(() => bench.close());

const open = (behaviour: string, needs: Partial<McpNeeds> = {}) =>
  bench.openFile('newer', [behaviour, mark], { needs });
const call = async (server: McpConnection, name: string) => server.callTool(name, {}, { signal: never });
const failureOf = async (work: Promise<unknown>) => messageOf(await work.catch((error: unknown) => error));

describe('a server that speaks both revisions', () => {
  it('is spoken to in the newer one, and its questions reach the user', async () => {
    const asked: McpElicitRequest[] = [];
    const server = await open('both', {
      async onElicit(request) {
        asked.push(request);
        return { action: 'accept', content: { name: 'Ada' } };
      },
    });
    expect(server.info).toMatchObject({
      name: 'newer',
      protocolVersion: '2026-07-28',
      instructions: 'Be kind.',
      offers: { tools: true, prompts: false, tasks: false },
    });
    const result = await call(server, 'greet');
    expect(textOf(result.parts)).toBe('hello Ada, st\u00e4te "1", 2026-07-28');
    expect(asked).toMatchObject([{ kind: 'form', server: 'newer', message: 'Your name?' }]);
    console.log(
      `evidence: a server of both revisions: ${server.info.protocolVersion}, "${textOf(result.parts)}"`,
    );
  });

  it('lists every tool that can be used, whatever the others are', async () => {
    const { items, warnings } = await (await open('both')).listTools(never);
    expect(items.map(({ name }) => name)).toContain('greet');
    expect(warnings).toMatchObject([expect.stringContaining('The tool "broken" was left out')]);
  });

  it('tells its progress and log lines to whoever waits for them', async () => {
    const progress: unknown[] = [];
    const server = await open('both');
    const result = await server.callTool(
      'progress',
      {},
      {
        signal: never,
        onProgress: (step) => void progress.push(step),
      },
    );
    expect(textOf(result.parts)).toBe('level info');
    expect(progress).toEqual([{ progress: 1, total: 2, message: undefined }]);
    expect(bench.logged).toContainEqual({ server: 'newer', level: 'info', text: 'newer: working' });
  });

  it('is subscribed to, and its changes are heard', async () => {
    const onToolsChanged = vi.fn();
    const server = await open('both', { onToolsChanged });
    await vi.waitFor(() => expect(onToolsChanged).toHaveBeenCalledOnce(), { timeout: 10_000 });
    expect(server.stderrTail()).toContain('listen {"toolsListChanged":true}');
  });
});

describe('a server that does not like the question for its revisions', () => {
  it('dies: it is started again and gets the older handshake, from then on at once', async () => {
    const server = await open('dies');
    expect(server.info.protocolVersion).toBe('2025-11-25');
    expect(processesWith(`${serverFile('newer')} dies ${mark}`)).toHaveLength(1);
  });

  it('says nothing: it gets the older handshake after a while', async () => {
    expect((await open('silent')).info.protocolVersion).toBe('2025-11-25');
  });

  it('speaks revisions of the future only: it is told apart from one that is broken', async () => {
    expect(await failureOf(open('future'))).toContain(
      'failed at initialize: it speaks other revisions of the protocol only: 2031-01-01; 2026-07-28 is the newest one here.',
    );
    expect(processesWith(`${serverFile('newer')} future ${mark}`)).toEqual([]);
  });

  it('describes itself wrongly: what can be used is used', async () => {
    expect((await open('odd')).info).toMatchObject({ instructions: '', offers: { tools: true } });
  });
});

describe('a server that misuses input rounds', () => {
  const accept = async () => ({ action: 'accept' as const, content: { name: 'Ada' } });
  it.each([
    ['endless-input', 'it asked for more input 10 times and never came to an end'],
    ['endless-questions', 'it asked for more input 10 times and never came to an end'],
    ['many-questions', 'it asks 50 questions at once, more than 10'],
    ['odd-question', "it asks for files/read, which can't be answered here"],
    ['no-question', 'it wants input but does not say which'],
    ['no-object', 'it answered with error -32603: it answered with neither a result nor an error'],
  ])('%s: fails that call, and the server goes on', async (tool, why) => {
    const server = await open('both', { onElicit: accept });
    const message = await failureOf(call(server, tool));
    console.log(`evidence: ${message}`);
    expect(message).toContain(`failed at call: the tool "${tool}" was not carried out: ${why}`);
    expect(textOf((await call(server, 'greet')).parts)).toContain('hello Ada');
  });

  it('is told nothing where nobody can be asked', async () => {
    const message = await failureOf(call(await open('both'), 'greet'));
    expect(message).toContain("it asks for elicitation/create, which can't be answered here");
  });
});

describe('a server that misuses subscriptions', () => {
  it.each(['refuses-listening', 'ends-listening'])('%s: is not asked again', async (behaviour) => {
    const server = await open(behaviour);
    await expect.poll(() => server.stderrTail()).toContain('listen');
    await call(server, 'progress');
    expect(server.stderrTail().match(/listen/g)).toHaveLength(1);
  });

  it('floods: it is cut off with a reason, and nothing of it is left', async () => {
    const server = await open('floods');
    await expect.poll(() => server.state).toBe('lost');
    await server.close();
    expect(processesWith(`${serverFile('newer')} floods ${mark}`)).toEqual([]);
  });
});
