import { isJsonObject, type JsonObject, jsonIn } from '@toolwright/machine/base/json.js';
import { deadlineIn } from '@toolwright/machine/host/deadline.js';
import type { Host } from '@toolwright/machine/host/host.js';
import { classifyFailure, type Endpoint } from '../failure.js';
import type { ListedModel } from '../model.js';
import { readBounded } from '../wire/read-answer.js';
import type { WireFormat } from '../wire/wire-format.js';

interface ListingServer {
  format: Pick<WireFormat, 'listing'>;
  endpoint: Endpoint;
  host: Pick<Host, 'http'>;
}

const MAX_BYTES = 8 * 1024 * 1024;
const LIMIT_MS = 20_000;

/** The models that a server names and that can hold a conversation. Throws a `ModelError` when it refuses. */
export async function listModels(
  { format, endpoint, host }: ListingServer,
  signal: AbortSignal,
): Promise<ListedModel[]> {
  const { url, headers } = format.listing();
  const response = await host.http.request({
    url,
    headers: { accept: 'application/json', ...headers },
    signal: deadlineIn(LIMIT_MS, signal),
  });
  const text = await readBounded(response, MAX_BYTES);
  // A web page or the like is no list.
  const body = jsonIn(text) ?? text;
  if (response.status !== 200) throw classifyFailure(endpoint, { status: response.status, body, tools: [] });
  return modelsIn(body);
}

const notForTalking = /embed|rerank|whisper|tts|audio-|dall-e|image|moderation|bge-|minilm|imagen|veo|aqa/i;

/** `data` or `models`, with an id or a name: every host has one of these. */
export function modelsIn(body: unknown): ListedModel[] {
  if (!isJsonObject(body)) return [];
  const list = Array.isArray(body['data']) ? body['data'] : body['models'];
  if (!Array.isArray(list)) return [];
  return list.filter(isJsonObject).flatMap((item) => {
    const given = item['id'] ?? item['name'];
    if (typeof given !== 'string' || given === '') return [];
    const name = given.replace(/^models\//, '');
    const methods = item['supportedGenerationMethods'];
    const canTalk = Array.isArray(methods) ? methods.includes('generateContent') : true;
    return canTalk && !notForTalking.test(name) ? [listedModel(name, item)] : [];
  });
}

function listedModel(name: string, item: JsonObject): ListedModel {
  const label = item['display_name'] ?? item['displayName'];
  const window = [item['inputTokenLimit'], item['context_length'], item['max_model_len']].find(
    (each) => typeof each === 'number',
  );
  const prices = pricesIn(item['pricing']);
  return {
    name,
    label: typeof label === 'string' && label !== name ? label : undefined,
    contextWindow: typeof window === 'number' ? window : undefined,
    prices,
  };
}

const MILLION = 1_000_000;

/** Some hosts of many models give dollars per token, as text. */
function pricesIn(pricing: unknown): ListedModel['prices'] {
  if (!isJsonObject(pricing)) return undefined;
  const [input, output] = [Number(pricing['prompt']), Number(pricing['completion'])];
  if (!Number.isFinite(input) || !Number.isFinite(output) || input < 0 || output < 0) return undefined;
  return { input: input * MILLION, output: output * MILLION };
}
