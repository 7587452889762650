import { SettingsError } from '@toolwright/machine/base/errors.js';
import type { Host } from '@toolwright/machine/host/host.js';
import { isLoopback } from '@toolwright/machine/host/http/proxy.js';
import {
  type AccountChoice,
  checkedUrl,
  chooseAccount,
  hasAccount,
  keyVariables,
  keyVariablesOf,
  type ModelWish,
  needsResponses,
  type ProviderName,
} from './accounts.js';
import type { ModelTable } from './catalogue/model-table.js';
import type { ClientOptions } from './client.js';
import type { Connection } from './connection.js';
import type { LocalSearch, LocalServer } from './local-servers.js';
import { type ModelCapabilities, type ModelClient, ModelError } from './model.js';
import type { Tuning } from './tuning.js';

/** The choice of a model, and how it is reached. */
export interface ModelOptions
  extends ModelWish,
    Pick<ClientOptions, 'streaming' | 'idleTimeoutMs' | 'retry' | 'recoverCalls'> {
  /** The variable that chose the provider, where the settings have looked at the environment already. */
  chosenBy?: string;
  headers?: Record<string, string>;
  extraBody?: Record<string, unknown>;
  capabilities?: Partial<ModelCapabilities>;
  tuning?: Tuning | undefined;
  /** Models to ask in this order when the first can't answer: a name, or `provider:name`. */
  fallback?: readonly string[] | undefined;
  /** Context windows of models by their names, over those that are built in. */
  table?: ModelTable | undefined;
  environment: Readonly<Record<string, string | undefined>>;
  host: Pick<Host, 'http' | 'clock' | 'ids'>;
  /** The model that answers when there is no other. */
  offline: () => ModelClient | Promise<ModelClient>;
  /** Options of the search for local servers; `false` for no search. */
  localServers?: Omit<LocalSearch, 'http' | 'signal'> | false;
  signal?: AbortSignal;
}

/** The chosen model and the reason, for `doctor` and the start of a session. */
export interface ModelChoice {
  provider: ProviderName;
  model: string;
  label: string;
  baseUrl?: string;
  /** The reason, as a sentence. */
  reason: string;
  /** Local servers that answered, when they were looked for. */
  found: LocalServer[];
}

export interface CreatedModel {
  client: ModelClient;
  choice: ModelChoice;
}

/** Hosts by name, so that messages say who was asked. */
const knownHosts: readonly [RegExp, string][] = [
  [/(^|\.)openai\.com$/, 'OpenAI'],
  [/(^|\.)azure\.com$/, 'Azure OpenAI'],
  [/(^|\.)openrouter\.ai$/, 'OpenRouter'],
  [/(^|\.)deepseek\.com$/, 'DeepSeek'],
  [/(^|\.)groq\.com$/, 'Groq'],
  [/(^|\.)aliyuncs\.com$/, 'DashScope'],
  [/(^|\.)mistral\.ai$/, 'Mistral'],
  [/(^|\.)moonshot\.(cn|ai)$/, 'Moonshot'],
  [/(^|\.)x\.ai$/, 'xAI'],
  [/(^|\.)anthropic\.com$/, 'Anthropic'],
  [/(^|\.)googleapis\.com$/, 'Gemini'],
];

/**
 * Explicit options first, then the environment, then a server on this machine, then the offline model. Only
 * the code of the chosen provider is loaded.
 */
export async function createModel(options: ModelOptions): Promise<CreatedModel> {
  const created = await createOne(options);
  const others = (options.fallback ?? []).filter((name) => name !== created.choice.model);
  if (others.length === 0 || created.choice.provider === 'offline') return created;
  const { withFallback } = await import('./fallback.js');
  const open = (written: string) => async (): Promise<ModelClient> =>
    (await createOne(fallbackOptions(options, written))).client;
  return { ...created, client: withFallback(created.client, others.map(open)) };
}

/** `provider:name` is another account, a bare name another model of the same one. */
function fallbackOptions(options: ModelOptions, written: string): ModelOptions {
  const [, provider, name] = /^([a-z-]+):(.+)$/.exec(written) ?? [];
  if (!hasAccount(provider)) return { ...options, model: written };
  const { baseUrl: _baseUrl, apiKey: _apiKey, capabilities: _capabilities, ...rest } = options;
  return { ...rest, provider, model: name };
}

async function createOne(options: ModelOptions): Promise<CreatedModel> {
  if (options.provider === 'offline') return await goOffline(options, 'You chose the offline provider.', []);
  const account = chooseAccount(options.environment, options);
  if (account) return await connectAccount(options, account);
  if (options.provider && options.provider !== 'openai') throw missingKey(options.provider);
  const found = await searchLocally(options);
  const server = found.find(
    ({ models }) => models.length > 0 && (options.model === undefined || models.includes(options.model)),
  );
  if (server) return await connectLocal(options, server, found);
  if (options.provider) throw missingKey(options.provider);
  const models = found.flatMap((each) => each.models);
  if (options.model !== undefined) {
    throw new SettingsError(
      `No host is configured for the model ${options.model}${models.length === 0 ? '' : ` (on this machine: ${models.slice(0, 10).join(', ')})`}. ` +
        `Set --base-url, or one of ${keyVariables.join(', ')}.`,
    );
  }
  const reason =
    found.length === 0
      ? 'No key is set and no model server answers on this machine.'
      : `No key is set, and ${found.map(({ label }) => label).join(' and ')} on this machine has no model loaded.`;
  return await goOffline(options, reason, found);
}

async function connectAccount(options: ModelOptions, choice: AccountChoice): Promise<CreatedModel> {
  const { account, apiKey } = choice;
  const { provider, keyVariable } = account;
  const baseUrl = checkedUrl(options.baseUrl ?? choice.baseUrl?.value ?? account.baseUrl);
  const model = options.model ?? choice.model?.value ?? account.model;
  const key = (options.apiKey ?? apiKey?.value)?.trim() || undefined;
  const hostname = new URL(baseUrl).hostname;
  const label =
    knownHosts.find(([pattern]) => pattern.test(hostname))?.[1] ??
    (isLoopback(hostname) ? 'The local server' : account.label);
  if (!key && account.hosts.test(hostname)) throw missingKey(provider);
  const connection = connectionOf(options, { model, baseUrl, label, keyVariable, apiKey: key });
  const reason = options.chosenBy === undefined ? choice.reason : `${options.chosenBy} is set.`;
  return {
    client: await connect(needsResponses(hostname, model) ? 'openai-responses' : provider, connection),
    choice: { provider, model, label, baseUrl, reason, found: [] },
  };
}

async function connectLocal(
  options: ModelOptions,
  server: LocalServer,
  found: LocalServer[],
): Promise<CreatedModel> {
  const { label, baseUrl } = server;
  const model = options.model ?? server.models[0]!;
  const connection = connectionOf(options, { model, baseUrl, label, keyVariable: 'OPENAI_API_KEY' });
  const reason = `${label} answers on this machine. To stay with it: --base-url ${baseUrl} --model ${model}`;
  return {
    client: await connect('openai', connection),
    choice: { provider: 'openai', model, label, baseUrl, reason, found },
  };
}

type Address = Pick<Connection, 'model' | 'baseUrl' | 'label' | 'keyVariable' | 'apiKey'>;

function connectionOf(options: ModelOptions, address: Address): Connection {
  const { host, headers, extraBody, capabilities, streaming, idleTimeoutMs, retry, recoverCalls, tuning } =
    options;
  const { contextWindow } = options.table?.(address.model) ?? {};
  return {
    ...address,
    host,
    headers,
    extraBody,
    capabilities: contextWindow === undefined ? capabilities : { contextWindow, ...capabilities },
    streaming,
    idleTimeoutMs,
    retry,
    recoverCalls,
    tuning,
  };
}

type Provider = AccountChoice['account']['provider'];

async function connect(provider: Provider, connection: Connection): Promise<ModelClient> {
  switch (provider) {
    case 'openai':
      return (await import('./openai/client.js')).connectOpenAi(connection);
    case 'openai-responses':
      return (await import('./openai-responses/client.js')).connectOpenAiResponses(connection);
    case 'anthropic':
      return (await import('./anthropic/client.js')).connectAnthropic(connection);
    case 'gemini':
      return (await import('./gemini/client.js')).connectGemini(connection);
  }
}

async function searchLocally(options: ModelOptions): Promise<LocalServer[]> {
  if (options.localServers === false) return [];
  const { findLocalServers } = await import('./local-servers.js');
  return await findLocalServers({
    http: options.host.http,
    ...options.localServers,
    signal: options.signal,
  });
}

async function goOffline(options: ModelOptions, reason: string, found: LocalServer[]): Promise<CreatedModel> {
  const client = await options.offline();
  return { client, choice: { provider: 'offline', model: client.model, label: 'Offline', reason, found } };
}

function missingKey(provider: ProviderName): ModelError {
  return new ModelError(
    'auth',
    `The provider "${provider}" needs a key: set ${keyVariablesOf(provider).join(' or ')}, or --base-url for a server that needs none.`,
  );
}
