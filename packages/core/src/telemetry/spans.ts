import type { AgentResult } from '../agent/events.js';
import type { ModelClient, ModelRequest, Usage } from '../model/model.js';
import type { CallRecord } from '../session/call-record.js';
import { type Content, finishReason, toldAnswer, toldMessage } from './content.js';
import type { InstrumentName } from './measures.js';
import type { AskedModel, OpenSpan } from './observe-model.js';
import type { Span, SpanAttributes } from './otlp.js';

/** A call that has begun. */
export interface OpenCall extends OpenSpan {
  start: CallRecord & { type: 'call-start' };
  decision?: CallRecord & { type: 'call-decision' };
}

/** A span with what is to be measured of it: its duration in seconds, under this name. */
interface Told {
  span: Omit<Span, 'traceId' | 'endMs' | 'parentSpanId'>;
  duration: InstrumentName;
  /** SpanAttributes of the measures. */
  attributes: SpanAttributes;
}

export function chatSpan(
  client: ModelClient,
  asked: AskedModel,
  request: ModelRequest,
  content: Content,
): Told {
  const { span, usage, finish, output, failure } = asked;
  const attributes = { ...operationOn('chat', client), 'error.type': failure?.kind };
  return {
    duration: 'gen_ai.client.operation.duration',
    attributes,
    span: {
      ...span,
      name: `chat ${client.model}`,
      kind: 'client',
      attributes: {
        ...attributes,
        ...usageAttributes(usage),
        'gen_ai.response.finish_reasons': finish === null ? undefined : [finishReason(finish)],
        'gen_ai.system_instructions': content([{ type: 'text', content: request.system }]),
        'gen_ai.input.messages': content(request.messages.slice(-1).map(toldMessage)),
        'gen_ai.output.messages': finish === null ? undefined : content([toldAnswer(output, finish)]),
      },
      failure: failure?.message,
    },
  };
}

export function callSpan(
  { start, decision, ...span }: OpenCall,
  { response, error }: CallRecord & { type: 'call-end' },
  content: Content,
): Told {
  const attributes = {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': start.tool,
    'error.type': error?.code,
  };
  return {
    duration: 'gen_ai.execute_tool.duration',
    attributes,
    span: {
      ...span,
      name: `execute_tool ${start.tool}`,
      kind: 'internal',
      attributes: {
        ...attributes,
        'gen_ai.tool.type': 'function',
        'gen_ai.tool.call.id': response.id,
        'gen_ai.agent.name': start.agent,
        'toolwright.decision': decision?.decision,
        'toolwright.outcome': decision?.outcome,
        'gen_ai.tool.call.arguments': content(start.args),
        'gen_ai.tool.call.result': content(response.response ?? {}),
      },
      failure: error && (content(error.message) ?? error.code),
    },
  };
}

export function promptSpan(
  span: OpenSpan,
  { reason, turns, calls, usage, error }: AgentResult,
  {
    model,
    version,
    content,
  }: { model: Pick<ModelClient, 'provider' | 'model'>; version: string; content: Content },
): Told {
  const attributes = { ...operationOn('invoke_agent', model), 'error.type': error?.kind };
  return {
    duration: 'gen_ai.invoke_agent.duration',
    attributes,
    span: {
      ...span,
      name: 'invoke_agent toolwright',
      kind: 'internal',
      attributes: {
        ...attributes,
        ...usageAttributes(usage),
        'gen_ai.agent.name': 'toolwright',
        'gen_ai.agent.version': version,
        'toolwright.end_reason': reason,
        'toolwright.turns': turns,
        'toolwright.calls': calls,
      },
      failure: error && (content(error.message) ?? error.kind),
    },
  };
}

export function operationOn(
  operation: string,
  { provider, model }: Pick<ModelClient, 'provider' | 'model'>,
): SpanAttributes {
  return {
    'gen_ai.operation.name': operation,
    'gen_ai.provider.name': providerName(provider),
    'gen_ai.request.model': model,
  };
}

function usageAttributes(usage: Usage | null): SpanAttributes {
  return {
    'gen_ai.usage.input_tokens': usage?.inputTokens,
    'gen_ai.usage.output_tokens': usage?.outputTokens,
    'gen_ai.usage.cache_read.input_tokens': usage?.cachedTokens,
    'gen_ai.usage.reasoning.output_tokens': usage?.reasoningTokens,
  };
}

/** The names that the conventions give to providers. */
function providerName(provider: string): string {
  if (provider === 'gemini') return 'gcp.gemini';
  return provider === 'openai-responses' ? 'openai' : provider;
}
