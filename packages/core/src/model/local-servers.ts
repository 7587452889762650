import { isJsonObject } from '@toolwright/machine/base/json.js';
import { deadlineIn } from '@toolwright/machine/host/deadline.js';
import type { Http } from '@toolwright/machine/host/http/http.js';

type LocalServerKind = 'ollama' | 'lmstudio' | 'llamacpp' | 'vllm';

/** A model server that answered on this machine. */
export interface LocalServer {
  kind: LocalServerKind;
  label: string;
  /** Ends with /v1, ready for Chat Completions. */
  baseUrl: string;
  models: string[];
}

export interface LocalSearch {
  http: Http;
  /** The usual ports, unless a test names others. */
  ports?: Partial<Record<LocalServerKind, number>>;
  /** Time that a server which accepts the connection has to answer. */
  budgetMs?: number;
  signal?: AbortSignal;
}

const servers: readonly { kind: LocalServerKind; label: string; port: number }[] = [
  { kind: 'ollama', label: 'Ollama', port: 11434 },
  { kind: 'lmstudio', label: 'LM Studio', port: 1234 },
  { kind: 'llamacpp', label: 'llama.cpp', port: 8080 },
  { kind: 'vllm', label: 'vLLM', port: 8000 },
];

const DEFAULT_BUDGET_MS = 2_000;
const MAX_BYTES = 1024 * 1024;

/**
 * Asks the usual loopback ports for their list of models, all at once. Where nothing listens the answer comes
 * within milliseconds. Anything may listen on these ports: only the form of a model list counts.
 */
export async function findLocalServers({
  http,
  ports = {},
  budgetMs = DEFAULT_BUDGET_MS,
  signal,
}: LocalSearch): Promise<LocalServer[]> {
  const both = deadlineIn(budgetMs, signal);
  const found = await Promise.all(
    servers.map(async ({ kind, label, port }): Promise<LocalServer | null> => {
      const baseUrl = `http://127.0.0.1:${ports[kind] ?? port}/v1`;
      const models = await listModels(http, baseUrl, both).catch(() => null);
      return models === null ? null : { kind, label, baseUrl, models };
    }),
  );
  signal?.throwIfAborted();
  return found.filter((server) => server !== null);
}

async function listModels(http: Http, baseUrl: string, signal: AbortSignal): Promise<string[] | null> {
  const response = await http.request({
    url: `${baseUrl}/models`,
    signal,
    headers: { accept: 'application/json' },
  });
  try {
    if (response.status !== 200) return null;
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body) {
      chunks.push(chunk);
      size += chunk.byteLength;
      if (size > MAX_BYTES) return null;
    }
    return modelNames(JSON.parse(Buffer.concat(chunks).toString()));
  } finally {
    response.close();
  }
}

/** Names of models that can hold a conversation; null when this is no list of models. */
function modelNames(body: unknown): string[] | null {
  if (!isJsonObject(body) || body['object'] !== 'list' || !Array.isArray(body['data'])) return null;
  const names = body['data'].flatMap((item) =>
    isJsonObject(item) && typeof item['id'] === 'string' && item['id'] !== '' ? [item['id']] : [],
  );
  return names.filter((name) => !/embed|rerank|whisper|bge-|minilm/i.test(name));
}
