import { textOf } from '@toolwright/machine/base/content.js';
import { messageOf } from '@toolwright/machine/base/errors.js';
import { afterAll, describe, expect, it, vi } from 'vitest';
import type { McpConnection } from '../contract/connection.js';
import type { McpNeeds } from '../contract/needs.js';
import { createMcpBench, never } from '../fixtures/mcp-bench.js';
import { complete, eventOf, startNewerHttp } from '../fixtures/newer-http-server.js';
import { expandTemplate } from '../lists/expand-template.js';

const bench = createMcpBench();
afterAll(() => bench.close());

const touch = (server: McpConnection, uri: string) => server.callTool('touch', { uri }, { signal: never });
const read = async (server: McpConnection, uri: string) =>
  textOf((await server.readResource(uri, never)).parts);
const heardBy = async (server: McpConnection) =>
  textOf((await server.callTool('subscribed', {}, { signal: never })).parts);

describe.each(['older', 'newer'] as const)('a server of the %s revision with resources', (era) => {
  const open = (behaviour = '', needs: Partial<McpNeeds> = {}) =>
    bench.openFile('resources', [era, behaviour], { needs });

  it('lists templates, and gives the resource of one that was filled in', async () => {
    const server = await open();
    const { items, warnings } = await server.listResourceTemplates(never);
    expect(items).toMatchObject([
      { uriTemplate: 'note://{id}', name: 'note', description: 'A note by its number.' },
      { uriTemplate: 'find://notes{?words,most}', mimeType: 'text/plain' },
    ]);
    expect(warnings).toEqual([
      'Entry 3 of the resource template list has no usable uriTemplate and was left out.',
    ]);
    const uri = await expandTemplate(items[1]!.uriTemplate, { words: 'milk & bread' });
    expect(uri).toBe('find://notes?words=milk%20%26%20bread');
    expect(await read(server, uri)).toBe(`[${uri}]\nversion 1`);
  });

  it('has the icons of itself, its tools, its resources and its templates kept', async () => {
    const server = await open();
    const kept = [
      server.info.icons,
      (await server.listTools(never)).items[0]?.icons,
      (await server.listResources(never)).items[0]?.icons,
      (await server.listResourceTemplates(never)).items[0]?.icons,
    ];
    const icon = { src: 'https://notes.test/note.png', mimeType: 'image/png', sizes: ['48x48'] };
    expect(kept).toEqual(kept.map(() => [icon]));
  });

  it('that knows no templates has none', async () => {
    const server = await open('no-templates');
    expect(await server.listResourceTemplates(never)).toEqual({ items: [], warnings: [] });
  });

  it('tells the changes of a resource that was subscribed to, until it is read or not wanted any more', async () => {
    const heard: string[] = [];
    const server = await open('', { onResourceChanged: (uri) => void heard.push(uri) });
    expect(await server.subscribe('note://1', never)).toBe(true);
    await touch(server, 'note://1');
    await touch(server, 'note://1');
    await touch(server, 'note://2');
    await expect.poll(() => server.changedResources()).toEqual(['note://1']);
    expect(heard).toEqual(['note://1']);
    expect(await read(server, 'note://1')).toContain('version 3');
    expect(server.changedResources()).toEqual([]);
    await server.unsubscribe('note://1', never);
    await touch(server, 'note://1');
    expect(await heardBy(server)).toBe(
      era === 'older' ? '+note://1; -note://1' : '{"resourceSubscriptions":["note://1"]}; ended request-2',
    );
    expect([server.changedResources(), heard]).toEqual([[], ['note://1']]);
  });

  it('that tells no changes is not asked for any', async () => {
    const server = await open('untold');
    expect(await server.subscribe('note://1', never)).toBe(false);
    expect(await heardBy(server)).toBe('');
  });

  it('that floods with changes, or tells those of others, is heard once for each resource that is wanted', async () => {
    for (const behaviour of ['floods', 'others']) {
      const heard: string[] = [];
      const server = await open(behaviour, { onResourceChanged: (uri) => void heard.push(uri) });
      await server.subscribe('note://1', never);
      await touch(server, 'note://1');
      expect([heard, server.changedResources()]).toEqual([['note://1'], ['note://1']]);
    }
  });

  it('is asked for the changes of the latest twenty resources, no more', async () => {
    const server = await open();
    for (let note = 1; note <= 25; note++) await server.subscribe(`note://${note}`, never);
    await touch(server, 'note://5');
    await touch(server, 'note://6');
    expect(server.changedResources()).toEqual(['note://6']);
  });
});

describe.each(['older', 'newer'] as const)('a subscription, in the %s revision,', (era) => {
  it('that is never answered is given up, the server is named, and not asked a second time', async () => {
    const server = await bench.openFile('resources', [era, 'deaf'], { needs: { limits: { list: 300 } } });
    const failure = messageOf(await server.subscribe('note://1', never).catch((error: unknown) => error));
    console.log(`evidence: ${failure}`);
    expect(failure).toContain(
      'MCP server "resources" failed at read: resources/subscribe was not answered within 300 ms.',
    );
    expect(await server.subscribe('note://2', never)).toBe(false);
    expect([await read(server, 'note://1'), await heardBy(server)]).toEqual([
      '[note://1]\nversion 1',
      era === 'older' ? '+note://1; ended 1' : '{"resourceSubscriptions":["note://1"]}; ended request-2',
    ]);
  });

  it('that is refused says why, and the server goes on', async () => {
    const server = await bench.openFile('resources', [era, 'refuses']);
    await expect(server.subscribe('note://1', never)).rejects.toThrow(
      'failed at read: resources/subscribe: it answered with error -32000: no subscriptions today.',
    );
    expect(await read(server, 'note://1')).toBe('[note://1]\nversion 1');
  });
});

describe('in the newer revision a subscription', () => {
  it('counts once the server has acknowledged it, and the one before is heard until then', async () => {
    const acknowledge: (() => void)[] = [];
    const server = await startNewerHttp({
      'server/discover': () =>
        complete({ supportedVersions: ['2026-07-28'], capabilities: { resources: { subscribe: true } } }),
      'subscriptions/listen': ({ id, params, response }) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(': soon\n\n');
        const { notifications } = params;
        const _meta = { 'io.modelcontextprotocol/subscriptionId': id };
        const method = 'notifications/subscriptions/acknowledged';
        acknowledge.push(() => void response.write(eventOf({ method, params: { _meta, notifications } })));
        return null;
      },
    });
    const connection = await bench.open('web', { httpUrl: server.url });
    const told: string[] = [];
    const subscribe = (uri: string) => connection.subscribe(uri, never).then(() => void told.push(uri));
    for (const uri of ['note://1', 'note://2']) {
      const subscribed = subscribe(uri);
      const count = told.length + 1;
      await expect.poll(() => acknowledge).toHaveLength(count);
      expect([told, server.open.size]).toEqual([count === 1 ? [] : ['note://1'], count]);
      acknowledge[count - 1]?.();
      await subscribed;
    }
    expect(told).toEqual(['note://1', 'note://2']);
    await expect.poll(() => server.open.size).toBe(1);
    await connection.close();
    server.close();
  });

  it('of which the server takes up nothing has failed, and says so', async () => {
    const server = await bench.openFile('resources', ['newer', 'grants-nothing']);
    await expect(server.subscribe('note://1', never)).rejects.toThrow(
      'resources/subscribe: it does not tell the changes of note://1',
    );
    expect(await read(server, 'note://1')).toBe('[note://1]\nversion 1');
  });
});

it('what was subscribed to is asked for again in a new session', async () => {
  const server = await bench.openFile('resources', ['older']);
  await server.subscribe('note://1', never);
  await expect(server.callTool('die', {}, { signal: never })).rejects.toThrow('it was lost during the call');
  expect(await read(server, 'note://1')).toBe('[note://1]\nversion 1');
  await vi.waitFor(async () => expect(await heardBy(server)).toBe('+note://1'));
  await touch(server, 'note://1');
  expect(server.changedResources()).toEqual(['note://1']);
});
