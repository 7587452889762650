import { answerTextOf } from '@toolwright/machine/base/content.js';
import { deadlineIn } from '@toolwright/machine/host/deadline.js';
import { createModel, type ModelOptions } from '../choose-model.js';
import type { ListedModel } from '../model.js';

/** A connection that was tried. */
export interface TriedModel {
  /** The models of the server; empty when it does not list them. */
  models: ListedModel[];
  /** The model that answered. */
  model: string;
  baseUrl: string;
  answer: string;
}

const LIMIT_MS = 60_000;
const ANSWER_TOKENS = 512;

/** Lists the models of a server and asks one of them for a word. Throws a `ModelError` that says what went wrong. */
export async function tryModel(
  options: Omit<ModelOptions, 'offline'>,
  signal: AbortSignal,
): Promise<TriedModel> {
  const limit = deadlineIn(LIMIT_MS, signal);
  const open = (model: string | undefined) =>
    createModel({
      ...options,
      model: model ?? options.model,
      retry: { attempts: 1 },
      localServers: false,
      offline: () => Promise.reject(new Error('A trial has a server to ask.')),
    });
  const first = await open(options.model);
  const models = (await first.client.list?.(limit).catch(() => [])) ?? [];
  const named = options.model ?? nameAmong(models, first.choice.model);
  const { client, choice } = named === first.choice.model ? first : await open(named);
  const message = { role: 'user' as const, parts: [{ text: 'Answer with the one word: ready' }] };
  const request = { system: '', messages: [message], tools: [], maxOutputTokens: ANSWER_TOKENS };
  let answer = '';
  for await (const event of client.stream(request, limit)) {
    if (event.type === 'finish') answer = answerTextOf(event.parts).trim();
  }
  return { models, model: choice.model, baseUrl: choice.baseUrl ?? options.baseUrl ?? '', answer };
}

/** The usual model where the server has it, else the first that it lists. */
function nameAmong(models: readonly ListedModel[], usual: string): string {
  return models.length === 0 || models.some(({ name }) => name === usual) ? usual : models[0]!.name;
}
