import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { expect, it } from 'vitest';
import { createEventLog } from './event-log.js';

const message = (method: string): JSONRPCMessage => ({ jsonrpc: '2.0', method });

async function replayed(log: ReturnType<typeof createEventLog>, after: string): Promise<JSONRPCMessage[]> {
  const sent: JSONRPCMessage[] = [];
  await log.replayEventsAfter(after, { send: async (_id, each) => void sent.push(each) });
  return sent;
}

it('a stream is taken up after the last message that arrived, without those of other streams', async () => {
  const log = createEventLog();
  const first = await log.storeEvent('one', message('a'));
  await log.storeEvent('two', message('b'));
  await log.storeEvent('one', message('c'));
  expect(await replayed(log, first)).toEqual([message('c')]);
});

it('a message that comes while others are sent again is sent with them', async () => {
  const log = createEventLog();
  const first = await log.storeEvent('one', message('a'));
  await log.storeEvent('one', message('b'));
  const sent: string[] = [];
  await log.replayEventsAfter(first, {
    async send(id, each) {
      sent.push(`${id} ${'method' in each ? each.method : ''}`);
      if (sent.length === 1) await log.storeEvent('one', message('c'));
    },
  });
  expect(sent).toEqual(['2 b', '3 c']);
});

it('an event that was never sent, or is too old, is refused', async () => {
  const log = createEventLog();
  const first = await log.storeEvent('one', message('a'));
  for (let index = 0; index < 256; index += 1) await log.storeEvent('one', message('b'));
  await expect(replayed(log, first)).rejects.toThrow('is not known any more');
  await expect(replayed(log, 'x'.repeat(500))).rejects.toThrow(/^The event x{40} is not known/);
});

it('large messages push out older ones, so that a client can not fill the memory', async () => {
  const log = createEventLog();
  const large = message('x'.repeat(3 * 1024 * 1024));
  const first = await log.storeEvent('one', large);
  const second = await log.storeEvent('one', large);
  expect([log.has(first), log.has(second)]).toEqual([false, true]);
});
