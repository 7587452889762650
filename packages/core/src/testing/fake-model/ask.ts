import type { Clock, Ids } from '@toolwright/machine/host/host.js';
import { createHttp } from '@toolwright/machine/host/http/http.js';
import { createFixedIds } from '@toolwright/machine/testing/fakes.js';
import { createModel, type ModelOptions } from '../../model/choose-model.js';
import type { ModelClient, ModelEvent, ModelRequest } from '../../model/model.js';
import type { FakeModelServer } from '../fake-model-server.js';
import type { WireName } from './body.js';

export type FakeConnection = Omit<Partial<ModelOptions>, 'provider' | 'host' | 'environment'> & {
  clock?: Clock;
  ids?: Ids;
};

/** Sleeps end at once; how long they would have been is kept. */
export function createHurriedClock(): Clock & { slept: number[] } {
  const slept: number[] = [];
  return {
    slept,
    now: () => Date.UTC(2030, 0, 1),
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      slept.push(ms);
    },
  };
}

/** A real client of the given wire format that talks to the fake server. */
export async function connectToFake(
  server: FakeModelServer,
  wire: WireName,
  { clock = createHurriedClock(), ids = createFixedIds(), ...options }: FakeConnection = {},
): Promise<ModelClient> {
  const { client } = await createModel({
    model: 'fake-model',
    baseUrl: server.baseUrls[wire],
    apiKey: 'test-key',
    offline: () => {
      throw new Error('The offline model was chosen.');
    },
    ...options,
    provider: wire,
    environment: {},
    host: { http: createHttp(), clock, ids },
  });
  return client;
}

export function requestOf(text: string, rest: Partial<ModelRequest> = {}): ModelRequest {
  return { system: '', messages: [{ role: 'user', parts: [{ text }] }], tools: [], ...rest };
}

export interface Heard {
  events: ModelEvent[];
  text: string;
  notices: string[];
  /** The error that was thrown, if any. */
  error?: unknown;
}

/** Everything one request gives, errors included. */
export async function hear(
  client: ModelClient,
  request: ModelRequest,
  signal: AbortSignal = new AbortController().signal,
): Promise<Heard> {
  const heard: Heard = { events: [], text: '', notices: [] };
  try {
    for await (const event of client.stream(request, signal)) {
      heard.events.push(event);
      if (event.type === 'text-delta') heard.text += event.text;
      if (event.type === 'notice') heard.notices.push(event.message);
    }
  } catch (error) {
    heard.error = error;
  }
  return heard;
}
