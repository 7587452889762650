import type { FinishReason, Usage } from '../../model/model.js';
import {
  argumentText,
  data,
  deltas,
  type FakeAnswer,
  type FakeCall,
  type Frames,
  finishOf,
  halves,
} from './answer.js';

const reasons: Record<FinishReason, string> = {
  stop: 'end_turn',
  calls: 'tool_use',
  length: 'max_tokens',
  filter: 'refusal',
  refusal: 'refusal',
  other: 'other',
};

interface FakeBlock {
  start: object;
  deltas: object[];
  whole: object;
}

const event = (type: string, fields: object) => `event: ${type}\n${data({ type, ...fields })}`;

export function anthropicFrames(answer: FakeAnswer): Frames {
  const blocks = blocksOf(answer);
  const usage = wireUsage(answer.usage ?? { inputTokens: 0, outputTokens: 0 });
  const message = { id: 'msg_fake', type: 'message', role: 'assistant', model: 'fake-model' };
  const opening = { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
  const said = [
    event('message_start', { message: opening }),
    ...blocks.flatMap((block, index) => [
      event('content_block_start', { index, content_block: block.start }),
      ...block.deltas.map((delta) => event('content_block_delta', { index, delta })),
      event('content_block_stop', { index }),
    ]),
  ];
  const stop_reason = reasons[finishOf(answer)];
  const ending = [
    event('message_delta', {
      delta: { stop_reason, stop_sequence: null },
      usage: { output_tokens: usage.output_tokens },
    }),
    event('message_stop', {}),
  ];
  return {
    said,
    ending,
    whole: { ...message, content: blocks.map((block) => block.whole), stop_reason, usage },
  };
}

function blocksOf(answer: FakeAnswer): FakeBlock[] {
  const text = deltas(answer);
  return [
    ...(answer.thinking === undefined ? [] : [thinkingBlock(answer.thinking)]),
    ...(text.length === 0
      ? []
      : [
          {
            start: { type: 'text', text: '' },
            deltas: text.map((delta) => ({ type: 'text_delta', text: delta })),
            whole: { type: 'text', text: text.join('') },
          },
        ]),
    ...(answer.calls ?? []).map(callBlock),
  ];
}

function thinkingBlock(thinking: string): FakeBlock {
  const signature = 'c2lnbmVk';
  return {
    start: { type: 'thinking', thinking: '', signature: '' },
    deltas: [
      { type: 'thinking_delta', thinking },
      { type: 'signature_delta', signature },
    ],
    whole: { type: 'thinking', thinking, signature },
  };
}

function callBlock(call: FakeCall, index: number): FakeBlock {
  const id = call.id === undefined ? `toolu_${index}` : (call.id ?? '');
  return {
    start: { type: 'tool_use', id, name: call.name, input: {} },
    deltas: halves(argumentText(call)).map((partial_json) => ({ type: 'input_json_delta', partial_json })),
    whole: { type: 'tool_use', id, name: call.name, input: call.arguments },
  };
}

function wireUsage(usage: Usage) {
  return {
    input_tokens: usage.inputTokens - (usage.cachedTokens ?? 0),
    cache_read_input_tokens: usage.cachedTokens ?? 0,
    output_tokens: usage.outputTokens,
  };
}
