import type { ModelSettings } from '@toolwright/core';
import {
  createClock,
  createHttp,
  createIds,
  deadlineIn,
  messageOf,
  plural,
  type TriedModel,
  tryModel,
} from '@toolwright/core/front-end';
import { type ReportItem, textItem } from '../../actions/report.js';
import { safe, safeLine } from '../../app/safe-text.js';
import type { SlashContext } from '../slash-context.js';

interface Provider {
  id: string;
  label: string;
  provider: NonNullable<ModelSettings['provider']>;
  baseUrl: string;
  /** The place that a key comes from. */
  keys: string;
}

const providers: readonly Provider[] = [
  {
    id: 'anthropic',
    label: 'Anthropic',
    provider: 'anthropic',
    baseUrl: 'https://api.anthropic.com',
    keys: 'console.anthropic.com',
  },
  {
    id: 'openai',
    label: 'OpenAI',
    provider: 'openai',
    baseUrl: 'https://api.openai.com/v1',
    keys: 'platform.openai.com',
  },
  {
    id: 'gemini',
    label: 'Gemini',
    provider: 'gemini',
    baseUrl: 'https://generativelanguage.googleapis.com',
    keys: 'aistudio.google.com',
  },
  {
    id: 'openrouter',
    label: 'OpenRouter',
    provider: 'openai',
    baseUrl: 'https://openrouter.ai/api/v1',
    keys: 'openrouter.ai/keys',
  },
];

const LOCAL = 'local';
const OTHER = 'other';
const SAVE_LIMIT_MS = 20_000;

/** `/connect`: asks for a provider and its key, tries them, and keeps what works. */
export async function connect(context: SlashContext): Promise<ReportItem[]> {
  const wish = await askWish(context);
  if (!wish) return [];
  let tried: TriedModel;
  try {
    tried = await tryModel(
      {
        ...wish,
        // Keys of the environment belong to other servers.
        environment: {},
        host: { http: createHttp({ environment: process.env }), clock: createClock(), ids: createIds() },
      },
      context.signal,
    );
  } catch (error) {
    context.signal.throwIfAborted();
    return [textItem(`Nothing was saved: ${messageOf(error)} To try again: /connect`, 'bad')];
  }
  return keep(context, wish, tried);
}

type Wish = Pick<ModelSettings, 'provider' | 'baseUrl' | 'apiKey' | 'model'>;

async function askWish(context: SlashContext): Promise<Wish | null> {
  const picked = await context.front.pick(
    {
      title: safe('Which model should answer?'),
      items: [
        ...providers.map(({ id, label, keys }) => ({
          id,
          label: safe(label),
          detail: safe(`a key from ${keys}`),
        })),
        {
          id: LOCAL,
          label: safe('A server on this machine'),
          detail: safe('Ollama, LM Studio, llama.cpp, vLLM'),
        },
        {
          id: OTHER,
          label: safe('Another address'),
          detail: safe('any server that speaks one of these formats'),
        },
      ],
      typed: 'filter',
    },
    { signal: context.signal },
  );
  if (!picked) return null;
  const known = providers.find(({ id }) => id === picked.id);
  if (!known) return picked.id === LOCAL ? askAddress(context, 'openai', false) : askOther(context);
  const key = await askKey(context, `Key for ${known.label} (${known.keys})`);
  return key === null ? null : { provider: known.provider, baseUrl: known.baseUrl, apiKey: key };
}

async function askOther(context: SlashContext): Promise<Wish | null> {
  const formats = [
    ['openai', 'Chat Completions, as OpenAI and most others'],
    ['openai-responses', 'Responses, as OpenAI'],
    ['anthropic', 'Messages, as Anthropic'],
    ['gemini', 'generateContent, as Gemini'],
  ] as const;
  const picked = await context.front.pick(
    {
      title: safe('Which format does it speak?'),
      items: formats.map(([id, detail]) => ({ id, label: safe(id), detail: safe(detail) })),
      typed: 'filter',
    },
    { signal: context.signal },
  );
  return picked ? askAddress(context, picked.id as Provider['provider'], true) : null;
}

async function askAddress(
  context: SlashContext,
  provider: Provider['provider'],
  hasKey: boolean,
): Promise<Wish | null> {
  const example = hasKey ? 'https://models.example.org/v1' : 'http://127.0.0.1:11434/v1 for Ollama';
  const picked = await context.front.pick(
    { title: safe('Its address'), about: safe(`Such as ${example}`), items: [], typed: 'text' },
    { signal: context.signal },
  );
  if (!picked) return null;
  const key = hasKey ? await askKey(context, 'Its key, or a single - for none') : '-';
  if (key === null) return null;
  return { provider, baseUrl: picked.text, apiKey: key === '-' ? undefined : key };
}

async function askKey({ front, signal }: SlashContext, title: string): Promise<string | null> {
  const picked = await front.pick(
    {
      title: safeLine(title),
      about: safe('It is tried now and kept in a file that only you can read.'),
      items: [],
      typed: 'secret',
    },
    { signal },
  );
  return picked?.text ?? null;
}

async function keep(
  { agent, setup, signal, reopen, args }: SlashContext,
  { provider, apiKey }: Wish,
  { model, models, baseUrl }: TriedModel,
): Promise<ReportItem[]> {
  const saved = { provider, baseUrl, name: model, apiKey };
  await agent.state.updateJson('connection', () => ({ model: saved }), deadlineIn(SAVE_LIMIT_MS, signal));
  // This choice replaces the model named on the command line.
  const values = new Map(args.values);
  for (const flag of ['provider', 'model', 'base-url', 'effort', 'fallback-model']) values.delete(flag);
  reopen({ session: 'same', args: { ...args, values } });
  const listed = models.length > 0 ? ` ${plural(models.length, 'model')} can be chosen with /model.` : '';
  const path = `${setup.stateFolder}/connection.json`;
  return [
    textItem(
      `${model} responded and is now in use. The connection is kept in ${path}, readable by you alone.${listed}`,
      'good',
    ),
  ];
}
