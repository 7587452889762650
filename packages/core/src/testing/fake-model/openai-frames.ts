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
  stop: 'stop',
  calls: 'tool_calls',
  length: 'length',
  filter: 'content_filter',
  refusal: 'stop',
  other: 'other',
};

const base = { id: 'chatcmpl-fake', object: 'chat.completion.chunk', created: 1, model: 'fake-model' };

const chunk = (delta: object, finish: string | null = null) =>
  data({ ...base, choices: [{ index: 0, delta, finish_reason: finish }] });

export function openAiFrames(answer: FakeAnswer): Frames {
  const calls = answer.calls ?? [];
  const said = [
    chunk({ role: 'assistant', content: '' }),
    ...(answer.thinking === undefined ? [] : [chunk({ reasoning_content: answer.thinking })]),
    ...deltas(answer).map((text) =>
      chunk(answer.finish === 'refusal' ? { refusal: text } : { content: text }),
    ),
    ...calls.flatMap(callChunks),
  ];
  const usage = answer.usage && wireUsage(answer.usage);
  const reason = reasons[finishOf(answer)];
  const ending = [
    chunk({}, reason),
    ...(usage ? [data({ ...base, choices: [], usage })] : []),
    'data: [DONE]\n\n',
  ];
  const choice = { index: 0, message: wholeMessage(answer), finish_reason: reason };
  return {
    said,
    ending,
    whole: { ...base, object: 'chat.completion', choices: [choice], usage },
  };
}

function idOf(call: FakeCall, index: number): { id?: string } {
  return call.id === null ? {} : { id: call.id ?? `call_${index}` };
}

function callChunks(call: FakeCall, index: number): string[] {
  const opening = {
    index,
    ...idOf(call, index),
    type: 'function',
    function: { name: call.name, arguments: '' },
  };
  return [
    chunk({ tool_calls: [opening] }),
    ...halves(argumentText(call)).map((part) =>
      chunk({ tool_calls: [{ index, function: { arguments: part } }] }),
    ),
  ];
}

function wholeMessage(answer: FakeAnswer): object {
  const text = deltas(answer).join('');
  const calls = (answer.calls ?? []).map((call, index) => ({
    ...idOf(call, index),
    type: 'function',
    function: { name: call.name, arguments: argumentText(call) },
  }));
  return {
    role: 'assistant',
    content: answer.finish === 'refusal' || text === '' ? null : text,
    refusal: answer.finish === 'refusal' ? text : undefined,
    reasoning_content: answer.thinking,
    tool_calls: calls.length === 0 ? undefined : calls,
  };
}

function wireUsage(usage: Usage): object {
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedTokens ?? 0 },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens ?? 0 },
  };
}
