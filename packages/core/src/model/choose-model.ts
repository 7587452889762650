import { SettingsError } from '@toolwright/machine/base/errors.js';
import type { Host } from '@toolwright/machine/host/host.js';
import { isLoopback } from '@toolwright/machine/host/http/proxy.js';
import type { ClientOptions } from './client.js';
import type { Connection } from './connection.js';
import type { LocalSearch, LocalServer } from './local-servers.js';
import { type ModelCapabilities, type ModelClient, ModelError } from './model.js';

export type ProviderName = 'openai' | 'anthropic' | 'gemini' | 'offline';

export interface ModelOptions
  extends Pick<ClientOptions, 'streaming' | 'idleTimeoutMs' | 'retry' | 'recoverCalls'> {
  provider?: ProviderName;
  model?: string;
  baseUrl?: string;
  apiKey?: string;
  headers?: Record<string, string>;
  extraBody?: Record<string, unknown>;
  capabilities?: Partial<ModelCapabilities>;
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
  /** One sentence. */
  reason: string;
  /** Local servers that answered, when they were looked for. */
  found: LocalServer[];
}

export interface CreatedModel {
  client: ModelClient;
  choice: ModelChoice;
}

interface Account {
  provider: Exclude<ProviderName, 'offline'>;
  label: string;
  hosts: RegExp;
  /** Names of models that are surely its own. */
  models: RegExp;
  keyVariable: string;
  urlVariable: string;
  modelVariable: string;
  baseUrl: string;
  model: string;
}

/** In the order in which the environment is looked at. */
const accounts: readonly Account[] = [
  {
    provider: 'openai',
    label: 'OpenAI',
    hosts: /(^|\.)openai\.com$/,
    models: /^(gpt|o\d|chatgpt|codex)/,
    keyVariable: 'OPENAI_API_KEY',
    urlVariable: 'OPENAI_BASE_URL',
    modelVariable: 'OPENAI_MODEL',
    baseUrl: 'https://api.openai.com/v1',
    model: 'gpt-5.1',
  },
  {
    provider: 'anthropic',
    label: 'Anthropic',
    hosts: /(^|\.)anthropic\.com$/,
    models: /^claude/,
    keyVariable: 'ANTHROPIC_API_KEY',
    urlVariable: 'ANTHROPIC_BASE_URL',
    modelVariable: 'ANTHROPIC_MODEL',
    baseUrl: 'https://api.anthropic.com',
    model: 'claude-sonnet-4-5',
  },
  {
    provider: 'gemini',
    label: 'Gemini',
    hosts: /(^|\.)generativelanguage\.googleapis\.com$/,
    models: /^(models\/)?gemini/,
    keyVariable: 'GEMINI_API_KEY',
    urlVariable: 'GOOGLE_GEMINI_BASE_URL',
    modelVariable: 'GEMINI_MODEL',
    baseUrl: 'https://generativelanguage.googleapis.com',
    model: 'gemini-2.5-pro',
  },
  {
    provider: 'openai',
    label: 'DashScope',
    hosts: /(^|\.)aliyuncs\.com$/,
    models: /^(qwen|qwq|qvq)/,
    keyVariable: 'DASHSCOPE_API_KEY',
    urlVariable: 'DASHSCOPE_BASE_URL',
    modelVariable: 'DASHSCOPE_MODEL',
    baseUrl: 'https://dashscope.aliyuncs.com/compatible-mode/v1',
    model: 'qwen3-coder-plus',
  },
];

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
  if (options.provider === 'offline')
    return await goOffline(options, 'The provider "offline" was asked for.', []);
  const account = findAccount(options);
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
        'Set --base-url, or one of OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY, DASHSCOPE_API_KEY.',
    );
  }
  const reason =
    found.length === 0
      ? 'No key is set and no model server answers on this machine.'
      : `No key is set, and ${found.map(({ label }) => label).join(' and ')} on this machine has no model loaded.`;
  return await goOffline(options, reason, found);
}

interface Chosen extends Account {
  apiKey?: string;
  reason: string;
}

/** The account that options and environment name; null when they name none. */
function findAccount(options: ModelOptions): Chosen | null {
  const { provider, baseUrl, apiKey, model, environment } = options;
  const candidates = accounts.filter((account) => provider === undefined || account.provider === provider);
  if (baseUrl !== undefined) return byAddress(options, candidates, checkedUrl(baseUrl));
  const named = candidates.filter(
    (account) => environment[account.keyVariable] || environment[account.urlVariable],
  );
  const account =
    (model === undefined ? undefined : named.find(({ models }) => models.test(model))) ?? named[0];
  if (account) {
    const variable = environment[account.keyVariable] ? account.keyVariable : account.urlVariable;
    const asked = provider === undefined ? '' : ` and the provider "${provider}" was asked for`;
    return fromEnvironment(account, options, `${variable} is set${asked}.`);
  }
  const first = candidates.find(({ models }) => model !== undefined && models.test(model)) ?? candidates[0];
  return apiKey === undefined || !first ? null : fromEnvironment(first, options, 'A key was given.');
}

/** A given address decides alone: the key of one provider is never sent to the host of another. */
function byAddress(options: ModelOptions, candidates: readonly Account[], baseUrl: string): Chosen | null {
  const { hostname, pathname } = new URL(baseUrl);
  // Google and Anthropic offer Chat Completions too, under paths of their own.
  const own = candidates.find(({ hosts }) => hosts.test(hostname) && !/\/openai\b/.test(pathname));
  const account = own ?? candidates.find(({ provider }) => provider === (options.provider ?? 'openai'));
  if (!account) return null;
  const assumed = options.provider === undefined && !own ? '; Chat Completions is assumed' : '';
  return fromEnvironment(account, options, `A base address was given${assumed}.`);
}

function fromEnvironment(account: Account, options: ModelOptions, reason: string): Chosen {
  const { environment } = options;
  const baseUrl = options.baseUrl ?? (environment[account.urlVariable] || account.baseUrl);
  const apiKey = options.apiKey ?? environment[account.keyVariable];
  const model = options.model ?? (environment[account.modelVariable] || account.model);
  return {
    ...account,
    baseUrl: checkedUrl(baseUrl),
    model,
    reason,
    apiKey: apiKey ? apiKey.trim() : undefined,
  };
}

function checkedUrl(address: string): string {
  const text = /^[a-z]+:\/\//i.test(address) ? address : `http://${address}`;
  try {
    const url = new URL(text);
    if (url.protocol === 'http:' || url.protocol === 'https:') return url.href.replace(/\/$/, '');
  } catch {
    // Falls through to the message.
  }
  throw new SettingsError(`The base address "${address}" is not an http or https address.`);
}

async function connectAccount(options: ModelOptions, account: Chosen): Promise<CreatedModel> {
  const { provider, baseUrl, model, apiKey, reason, keyVariable } = account;
  const hostname = new URL(baseUrl).hostname;
  const local = isLoopback(hostname);
  const label =
    knownHosts.find(([pattern]) => pattern.test(hostname))?.[1] ??
    (local ? 'The local server' : account.label);
  if (!apiKey && account.hosts.test(hostname)) throw missingKey(provider);
  const connection = connectionOf(options, {
    model,
    baseUrl,
    label,
    keyVariable,
    apiKey,
  });
  const client = await connect(provider, connection);
  return { client, choice: { provider, model, label, baseUrl, reason, found: [] } };
}

async function connectLocal(
  options: ModelOptions,
  server: LocalServer,
  found: LocalServer[],
): Promise<CreatedModel> {
  const { label, baseUrl } = server;
  const model = options.model ?? server.models[0]!;
  const connection = connectionOf(options, { model, baseUrl, label, keyVariable: 'OPENAI_API_KEY' });
  const reason = `${label} answers on this machine. To keep to it: --base-url ${baseUrl} --model ${model}`;
  return {
    client: await connect('openai', connection),
    choice: { provider: 'openai', model, label, baseUrl, reason, found },
  };
}

type Address = Pick<Connection, 'model' | 'baseUrl' | 'label' | 'keyVariable' | 'apiKey'>;

function connectionOf(options: ModelOptions, address: Address): Connection {
  const { host, headers, extraBody, capabilities, streaming, idleTimeoutMs, retry, recoverCalls } = options;
  return {
    ...address,
    host,
    headers,
    extraBody,
    capabilities,
    streaming,
    idleTimeoutMs,
    retry,
    recoverCalls,
  };
}

async function connect(provider: Account['provider'], connection: Connection): Promise<ModelClient> {
  switch (provider) {
    case 'openai':
      return (await import('./openai/client.js')).connectOpenAi(connection);
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
  const names = accounts
    .filter((account) => account.provider === provider)
    .map(({ keyVariable }) => keyVariable);
  return new ModelError(
    'auth',
    `The provider "${provider}" needs a key: set ${names.join(' or ')}, or --base-url for a server that needs none.`,
  );
}
