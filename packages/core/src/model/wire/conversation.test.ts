import type { Message, Part } from '@toolwright/machine/base/content.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createConversations, type TurnEncoder } from './conversation.js';

function counting(): TurnEncoder & { encoded: number } {
  return {
    encoded: 0,
    wireId: (id) => id,
    encodeTurn(turn) {
      this.encoded++;
      return [{ text: JSON.stringify(turn), blocks: turn.items.length, markable: turn.role === 'user' }];
    },
  };
}

const say = (text: string, role: Message['role'] = 'user'): Message => ({ role, parts: [{ text }] });
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();

describe('a kept conversation', () => {
  it('encodes a message once, however many requests follow', () => {
    const encoder = counting();
    const conversations = createConversations(encoder);
    const messages: Message[] = [];
    for (let turn = 0; turn < 50; turn++) {
      messages.push(say(`question ${turn}`), say(`answer ${turn}`, 'model'));
      conversations.encode(messages);
    }
    expect(encoder.encoded).toBe(100);
  });

  it('gives the same bytes as a fresh one', () => {
    const part: fc.Arbitrary<Part> = fc.oneof(
      fc.record({ text: fc.string({ unit: 'grapheme', maxLength: 20 }) }),
      fc.record({ functionCall: fc.record({ id: fc.constantFrom('', 'a', 'b'), name: fc.constant('x') }) }),
      fc.record({
        functionResponse: fc.record({ id: fc.constantFrom('', 'a', 'b'), name: fc.constant('x') }),
      }),
    );
    const message = fc.record({
      role: fc.constantFrom('user' as const, 'model' as const),
      parts: fc.array(part, { maxLength: 3 }),
    });
    fc.assert(
      fc.property(fc.array(message, { minLength: 1, maxLength: 12 }), (messages) => {
        const kept = createConversations(counting());
        for (let count = 1; count <= messages.length; count++) {
          const step = kept.encode(messages.slice(0, count));
          const fresh = createConversations(counting()).encode(messages.slice(0, count));
          expect(text(step.bytes)).toBe(text(fresh.bytes));
          expect(step.closing).toEqual(fresh.closing);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('grows without touching bytes that may still be on their way', () => {
    const conversations = createConversations(counting());
    const messages = [say('a')];
    const before = conversations.encode(messages).bytes;
    const copy = text(before);
    for (let turn = 0; turn < 20; turn++) {
      messages.push(say('x'.repeat(20_000)));
      conversations.encode(messages);
    }
    expect(text(before)).toBe(copy);
  });

  it('is encoded anew after its history was rewritten or a message got another part', () => {
    const encoder = counting();
    const conversations = createConversations(encoder);
    const first = say('a');
    const messages = [first, say('b', 'model'), say('c')];
    conversations.encode(messages);
    const shortened = conversations.encode([first, say('summary', 'model')]);
    expect(text(shortened.bytes)).toContain('summary');
    expect(text(shortened.bytes)).not.toContain('"c"');
    first.parts.push({ text: 'more' });
    expect(text(conversations.encode([first]).bytes)).toContain('more');
  });

  it('keeps two conversations apart', () => {
    const encoder = counting();
    const conversations = createConversations(encoder);
    const main = [say('main')];
    const side = [say('side')];
    conversations.encode(main);
    conversations.encode(side);
    main.push(say('main 2'));
    expect(text(conversations.encode(main).bytes)).not.toContain('side');
    expect(encoder.encoded).toBe(3);
  });

  it('answers open calls for one request only, so that their results may still come', () => {
    const conversations = createConversations(counting());
    const messages: Message[] = [
      say('go'),
      { role: 'model', parts: [{ functionCall: { id: 'a', name: 'x', args: {} } }] },
    ];
    const { closing } = conversations.encode(messages);
    expect(closing[0]?.text).toContain('The call was interrupted');
    messages.push({
      role: 'user',
      parts: [{ functionResponse: { id: 'a', name: 'x', response: { output: 'late' } } }],
    });
    const next = conversations.encode(messages);
    expect(next.closing).toEqual([]);
    expect(text(next.bytes)).toContain('late');
    expect(text(next.bytes)).not.toContain('was interrupted');
  });
});
