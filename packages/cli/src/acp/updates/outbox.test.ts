import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { describe, expect, it } from 'vitest';
import { createOutbox, mergeUpdates } from './outbox.js';
import { chunk } from './translation.js';

const said = (text: string, id = 'm1') => chunk('agent_message_chunk', text, id);
const output = (toolCallId: string, text: string): SessionUpdate => ({
  sessionUpdate: 'tool_call_update',
  toolCallId,
  content: [{ type: 'content', content: { type: 'text', text } }],
});

describe('updates for an editor that reads slowly', () => {
  it.each([
    ['texts of one message', said('a'), said('b'), said('ab')],
    ['the output of one call', output('1', 'a'), output('1', 'ab'), output('1', 'ab')],
    ['two messages', said('a'), said('b', 'm2'), null],
    ['words and thoughts', said('a'), chunk('agent_thought_chunk', 'b', 'm1'), null],
    ['two calls', output('1', 'a'), output('2', 'b'), null],
  ])('merges where nothing is lost: %s', (_what, first, second, merged) => {
    expect(mergeUpdates(first, second)).toEqual(merged);
  });

  it('are fewer and in order, and none is lost', async () => {
    const written: SessionUpdate[] = [];
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const outbox = createOutbox(async (update) => {
      written.push(update);
      await held;
    });
    for (let index = 0; index < 1_000; index++) outbox.send(said(`${index} `));
    outbox.send(output('1', 'x'));
    outbox.send(said('end'));
    release();
    await outbox.flush();
    expect(written).toHaveLength(3);
    expect(written[0]).toEqual(said(Array.from({ length: 1_000 }, (_, index) => `${index} `).join('')));
    expect(written[2]).toEqual(said('end'));
  });

  it('end where the editor is gone, without an error', async () => {
    const outbox = createOutbox(() => Promise.reject(new Error('gone')));
    outbox.send(said('a'));
    outbox.send(output('1', 'x'));
    await outbox.flush();
    outbox.send(said('b'));
    await outbox.flush();
  });
});
