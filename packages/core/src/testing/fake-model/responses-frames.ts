import type { Usage } from '../../model/model.js';
import {
  argumentText,
  deltas,
  type FakeAnswer,
  type FakeCall,
  type Frames,
  finishOf,
  halves,
} from './answer.js';

/** Events carry their name twice: before the data and in it. */
const event = (type: string, rest: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;

export function responsesFrames(answer: FakeAnswer): Frames {
  const items = itemsOf(answer);
  const response = { id: 'resp_fake', object: 'response', status: 'in_progress', output: [] };
  const ended = endOf(answer, items);
  return {
    said: [
      event('response.created', { response }),
      ...items.flatMap((item, output_index) => itemEvents(item, output_index, answer)),
    ],
    ending: [
      event(ended.status === 'completed' ? 'response.completed' : 'response.incomplete', { response: ended }),
    ],
    whole: ended,
  };
}

type OutputItem = Record<string, unknown> & { type: 'reasoning' | 'message' | 'function_call' };

function itemsOf(answer: FakeAnswer): OutputItem[] {
  const text = deltas(answer).join('');
  const said =
    answer.finish === 'refusal' ? { type: 'refusal', refusal: text } : { type: 'output_text', text };
  const items: OutputItem[] = [];
  if (answer.thinking !== undefined)
    items.push({
      type: 'reasoning',
      id: 'rs_fake',
      summary: [{ type: 'summary_text', text: answer.thinking }],
      encrypted_content: 'sealed',
    });
  if (text !== '') items.push({ type: 'message', id: 'msg_fake', role: 'assistant', content: [said] });
  return [...items, ...(answer.calls ?? []).map(callItem)];
}

function callItem(call: FakeCall, index: number): OutputItem {
  const call_id = call.id === null ? undefined : (call.id ?? `call_${index}`);
  return {
    type: 'function_call',
    id: `fc_${index}`,
    call_id,
    name: call.name,
    arguments: argumentText(call),
  };
}

function itemEvents(item: OutputItem, output_index: number, answer: FakeAnswer): string[] {
  const place = { output_index, item_id: item['id'] };
  const done = event('response.output_item.done', { output_index, item });
  switch (item.type) {
    case 'reasoning':
      return [
        event('response.output_item.added', { output_index, item: { ...item, summary: [] } }),
        event('response.reasoning_summary_text.delta', {
          ...place,
          summary_index: 0,
          delta: answer.thinking,
        }),
        done,
      ];
    case 'message': {
      const type = answer.finish === 'refusal' ? 'response.refusal.delta' : 'response.output_text.delta';
      return [
        event('response.output_item.added', { output_index, item: { ...item, content: [] } }),
        ...deltas(answer).map((delta) => event(type, { ...place, content_index: 0, delta })),
        done,
      ];
    }
    case 'function_call':
      return [
        event('response.output_item.added', { output_index, item: { ...item, arguments: '' } }),
        ...halves(item['arguments'] as string).map((delta) =>
          event('response.function_call_arguments.delta', { ...place, delta }),
        ),
        // A call that the limit cut off is never told to be done.
        ...(answer.finish === 'length' ? [] : [done]),
      ];
  }
}

function endOf(answer: FakeAnswer, output: OutputItem[]): Record<string, unknown> & { status: string } {
  const finish = finishOf(answer);
  const reason = { length: 'max_output_tokens', filter: 'content_filter', other: 'other' }[finish as string];
  return {
    id: 'resp_fake',
    object: 'response',
    status: reason === undefined ? 'completed' : 'incomplete',
    incomplete_details: reason === undefined ? null : { reason },
    output,
    usage: answer.usage && wireUsage(answer.usage),
  };
}

function wireUsage({ inputTokens, outputTokens, cachedTokens = 0, reasoningTokens = 0 }: Usage): object {
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cachedTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
  };
}
