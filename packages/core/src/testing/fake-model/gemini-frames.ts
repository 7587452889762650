import type { FinishReason } from '../../model/model.js';
import { data, deltas, type FakeAnswer, type Frames, finishOf } from './answer.js';

export function geminiFrames(answer: FakeAnswer): Frames {
  const reasons: Record<FinishReason, string> = {
    stop: 'STOP',
    calls: 'STOP',
    length: 'MAX_TOKENS',
    filter: 'SAFETY',
    refusal: 'SAFETY',
    other: 'OTHER',
  };
  const parts: object[] = [
    ...(answer.thinking === undefined ? [] : [{ text: answer.thinking, thought: true }]),
    ...deltas(answer).map((text) => ({ text })),
    ...(answer.calls ?? []).map((call, index) => ({
      functionCall: { id: call.id ?? undefined, name: call.name, args: call.arguments },
      thoughtSignature: index === 0 ? 'c2lnbmVk' : undefined,
    })),
  ];
  const counted = answer.usage;
  const usageMetadata = counted && {
    promptTokenCount: counted.inputTokens,
    candidatesTokenCount: counted.outputTokens - (counted.reasoningTokens ?? 0),
    thoughtsTokenCount: counted.reasoningTokens ?? 0,
    cachedContentTokenCount: counted.cachedTokens ?? 0,
  };
  const chunk = (list: object[], finishReason?: string) => ({
    candidates: [{ index: 0, content: { role: 'model', parts: list }, finishReason }],
    usageMetadata: finishReason && usageMetadata ? usageMetadata : undefined,
    modelVersion: 'fake-model',
  });
  const reason = reasons[finishOf(answer)];
  return {
    said: parts.map((part) => data(chunk([part]))),
    ending: [data(chunk([], reason))],
    whole: chunk(parts, reason),
  };
}
