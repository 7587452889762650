import { randomBytes } from 'node:crypto';
import type { Part } from '@toolwright/machine/base/content.js';
import {
  type ModelClient,
  ModelError,
  type ModelEvent,
  type ModelRequest,
  type Usage,
  withStream,
} from '../model/model.js';

/** A span that has begun. */
export interface OpenSpan {
  spanId: string;
  startMs: number;
}

/** A request to a model, once it is answered or failed. */
export interface AskedModel {
  span: OpenSpan;
  usage: Usage | null;
  finish: string | null;
  output: readonly Part[];
  failure: { kind: string; message: string } | null;
}

export interface ObserveNeeds {
  now(): number;
  ended(asked: AskedModel, request: ModelRequest): void;
}

/** The same model; whoever observes it is told of each answer. */
export function observeModel(client: ModelClient, { now, ended }: ObserveNeeds): ModelClient {
  return withStream(client, async function* (request, signal): AsyncGenerator<ModelEvent> {
    const span = { spanId: hex(8), startMs: now() };
    const asked: AskedModel = { span, usage: null, finish: null, output: [], failure: null };
    try {
      for await (const event of client.stream(request, signal)) {
        if (event.type === 'usage') asked.usage = event.usage;
        if (event.type === 'finish') [asked.finish, asked.output] = [event.reason, event.parts];
        yield event;
      }
    } catch (error) {
      asked.failure = failureOf(error, signal);
      throw error;
    } finally {
      ended(asked, request);
    }
  });
}

function failureOf(error: unknown, signal: AbortSignal): { kind: string; message: string } {
  if (signal.aborted) return { kind: 'cancelled', message: 'cancelled' };
  // The words of a provider may quote what was said.
  if (error instanceof ModelError) return { kind: error.kind, message: error.kind };
  return { kind: '_OTHER', message: error instanceof Error ? error.name : 'failed' };
}

/** A random id of so many bytes. */
export function hex(bytes: number): string {
  return randomBytes(bytes).toString('hex');
}
