import type { Message, Part } from '@toolwright/machine/base/content.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { interruptedCalls, repairHistory } from './saved-sessions.js';

const user = (...parts: Part[]): Message => ({ role: 'user', parts });
const model = (...parts: Part[]): Message => ({ role: 'model', parts });
const text = (value: string): Part => ({ text: value });
const call = (id: string, name = 't'): Part => ({ functionCall: { id, name, args: {} } });
const response = (id: string, output = 'ok', name = 't'): Part => ({
  functionResponse: { id, name, response: { output } },
});

function isPaired(messages: readonly Message[]): boolean {
  return messages.every((message, index) => {
    const calls = message.parts.flatMap((part) => part.functionCall ?? []);
    const answers = (messages[index + 1]?.parts ?? []).flatMap((part) => part.functionResponse ?? []);
    const stray =
      message.parts.some((part) => part.functionResponse) &&
      !(messages[index - 1]?.parts ?? []).some((part) => part.functionCall);
    return (
      !stray &&
      calls.length === (calls.length === 0 ? 0 : answers.length) &&
      calls.every(({ id }, at) => answers[at]?.id === id)
    );
  });
}

describe('a history is repaired in both directions', () => {
  it('leaves a whole history as it is', () => {
    const whole = [
      user(text('hi')),
      model(text('so'), call('a'), call('b')),
      user(response('a'), response('b')),
      model(text('done')),
    ];
    expect(repairHistory(whole)).toEqual(whole);
  });

  it('a call without response is answered as interrupted', () => {
    const repaired = repairHistory([user(text('hi')), model(call('a'))]);
    expect(repaired[2]?.parts[0]?.functionResponse).toMatchObject({
      id: 'a',
      name: 't',
      response: { code: 'interrupted', error: expect.stringMatching(/^The call was interrupted/) },
    });
    expect(interruptedCalls(repaired)).toBe(1);
  });

  it('a call that had been answered before the crash keeps its answer', () => {
    const answered = [{ id: 'a', name: 't', response: { output: 'from the journal' } }];
    const repaired = repairHistory([user(text('hi')), model(call('a'), call('b'))], answered);
    expect(repaired[2]?.parts.map((part) => part.functionResponse?.response?.['output'])).toEqual([
      'from the journal',
      undefined,
    ]);
    expect(interruptedCalls(repaired)).toBe(1);
  });

  it('a response without call is dropped', () => {
    expect(repairHistory([user(text('hi')), user(response('x')), model(text('so'))])).toEqual([
      user(text('hi')),
      model(text('so')),
    ]);
  });

  it('responses come in call order, each once, and text beside them stays', () => {
    const repaired = repairHistory([
      model(call('a'), call('b')),
      user(response('b'), text('also'), response('a'), response('a')),
    ]);
    expect(repaired[1]).toEqual(user(response('a'), response('b'), text('also')));
  });

  it('calls without ids are matched by name', () => {
    const bare: Part = { functionCall: { name: 't', args: {} } };
    const answer: Part = { functionResponse: { name: 't', response: { output: 'ok' } } };
    expect(repairHistory([model(bare), user(answer)])).toEqual([model(bare), user(answer)]);
  });

  it('drops empty messages', () => {
    expect(repairHistory([user(), model(text('')), user(text('hi'))])).toEqual([user(text('hi'))]);
  });

  it('whatever comes, the result is paired, and repairing it again changes nothing', () => {
    const part = fc.oneof(
      fc.constantFrom('x', 'y').map(text),
      fc.constantFrom('1', '2', '3').map((id) => call(id)),
      fc.constantFrom('1', '2', '3').map((id) => response(id)),
    );
    const message = fc.record({
      role: fc.constantFrom('user' as const, 'model' as const),
      parts: fc.uniqueArray(part, { maxLength: 4, selector: (item) => JSON.stringify(item) }),
    });
    const legal = (item: Message): Message => ({
      ...item,
      parts: item.parts.filter((each) =>
        item.role === 'user' ? !each.functionCall : !each.functionResponse,
      ),
    });
    fc.assert(
      fc.property(fc.array(message, { maxLength: 8 }), (messages) => {
        const repaired = repairHistory(messages.map(legal));
        expect(isPaired(repaired)).toBe(true);
        expect(repairHistory(repaired)).toEqual(repaired);
      }),
      { numRuns: 500 },
    );
  });
});
