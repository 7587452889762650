import { SettingsError } from '@toolwright/machine/base/errors.js';

export type ProviderName = 'openai' | 'openai-responses' | 'anthropic' | 'gemini' | 'offline';

/** A host of models that the environment can describe. */
export interface Account {
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

/** Models that OpenAI itself offers in its Responses format only. */
const responsesOnly = /^(codex|(gpt-\d[\w.]*|o\d)-(codex|pro|deep-research))/;

/** The accounts, in the order in which the environment is searched; the first of a provider is the provider's own. */
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
    // Other names below aliyuncs.com belong to its customers.
    hosts: /(^|\.)dashscope(-[a-z]+)?\.aliyuncs\.com$/,
    models: /^(qwen|qwq|qvq)/,
    keyVariable: 'DASHSCOPE_API_KEY',
    urlVariable: 'DASHSCOPE_BASE_URL',
    modelVariable: 'DASHSCOPE_MODEL',
    baseUrl: 'https://dashscope.aliyuncs.com/compatible-mode/v1',
    model: 'qwen3-coder-plus',
  },
  {
    provider: 'openai-responses',
    label: 'OpenAI',
    hosts: /(^|\.)openai\.com$/,
    models: responsesOnly,
    keyVariable: 'OPENAI_API_KEY',
    urlVariable: 'OPENAI_BASE_URL',
    modelVariable: 'OPENAI_MODEL',
    baseUrl: 'https://api.openai.com/v1',
    model: 'gpt-5.1',
  },
];

/** True where OpenAI offers a model in its Responses format and in no other. */
export function needsResponses(hostname: string, model: string): boolean {
  return /(^|\.)openai\.com$/.test(hostname) && responsesOnly.test(model);
}

/** The variables that hold keys of models. */
export const keyVariables: readonly string[] = [...new Set(accounts.map(({ keyVariable }) => keyVariable))];

/** True for the name of a provider that is reached with an account: not for `llama3.1`. */
export function hasAccount(provider: string | undefined): provider is Account['provider'] {
  return accounts.some((account) => account.provider === provider);
}

export function keyVariablesOf(provider: ProviderName): string[] {
  return accounts.filter((account) => account.provider === provider).map(({ keyVariable }) => keyVariable);
}

/** A model as files, flags or an embedding program choose it. */
export interface ModelWish {
  provider?: ProviderName;
  baseUrl?: string;
  apiKey?: string;
  model?: string;
}

/** A value of the environment, with the variable that holds it. */
export interface FromVariable {
  variable: string;
  value: string;
}

export interface AccountChoice {
  account: Account;
  /** The reason, as a sentence. */
  reason: string;
  /** The variable that decided, where nothing else did. */
  chosenBy?: string;
  baseUrl?: FromVariable;
  apiKey?: FromVariable;
  model?: FromVariable;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** The only place that decides which account is used: null when neither wish nor environment names one. */
export function chooseAccount(variables: Variables, wish: ModelWish): AccountChoice | null {
  const { provider, baseUrl, apiKey, model } = wish;
  const candidates = accounts.filter((account) => provider === undefined || account.provider === provider);
  if (baseUrl !== undefined) return byAddress(variables, wish, candidates);
  const named = candidates.filter((account) => isNamed(account, variables, wish));
  const isOfModel = ({ models }: Account) => model !== undefined && models.test(model);
  const account = named.find(isOfModel) ?? named[0];
  if (account) {
    const variable = variables[account.keyVariable] ? account.keyVariable : account.urlVariable;
    const found = describe(account, variables, wish);
    return provider === undefined
      ? { ...found, reason: `${variable} is set.`, chosenBy: variable }
      : { ...found, reason: `${variable} is set and you chose the provider "${provider}".` };
  }
  const first = candidates.find(isOfModel) ?? candidates[0];
  if (apiKey === undefined || !first) return null;
  return { ...describe(first, variables, wish), reason: 'A key was given.' };
}

/** A key that was given for a provider is for the provider's own account. */
function isNamed(account: Account, variables: Variables, { provider, apiKey }: ModelWish): boolean {
  if (provider !== undefined && apiKey !== undefined && account !== ownAccount(provider)) return false;
  return Boolean(variables[account.keyVariable] || variables[account.urlVariable]);
}

/** A given address decides alone: the key of one provider is never sent to the host of another. */
function byAddress(
  variables: Variables,
  wish: ModelWish,
  candidates: readonly Account[],
): AccountChoice | null {
  const host = accountAt(wish.baseUrl ?? '', candidates);
  const account = host ?? candidates.find(({ provider }) => provider === (wish.provider ?? 'openai'));
  if (!account) return null;
  const assumed = wish.provider === undefined && !host ? '; Chat Completions is assumed' : '';
  return { ...describe(account, variables, wish), reason: `A base address was given${assumed}.` };
}

function accountAt(address: string, candidates: readonly Account[]): Account | undefined {
  const url = readUrl(address);
  // Google and Anthropic offer Chat Completions too, under paths of their own.
  return candidates.find(({ hosts }) => url && hosts.test(url.hostname) && !/\/openai\b/.test(url.pathname));
}

function ownAccount(provider: ProviderName): Account | undefined {
  return accounts.find((account) => account.provider === provider);
}

/** An account as the environment describes it. */
function describe(
  account: Account,
  variables: Variables,
  wish: ModelWish,
): Omit<AccountChoice, 'reason' | 'chosenBy'> {
  const own = ownAccount(account.provider) ?? account;
  // The provider's name leads to its own account; another one is told by its address.
  const isTold = account === own || wish.baseUrl !== undefined;
  const baseUrl =
    read(variables, [account.urlVariable]) ??
    (isTold ? undefined : { variable: account.keyVariable, value: account.baseUrl });
  const address = wish.baseUrl ?? baseUrl?.value ?? '';
  const keys = [account, accountAt(address, accounts) ?? account];
  // A given address takes the provider's own key as well, unless that has an address of its own.
  if (wish.baseUrl !== undefined && !variables[own.urlVariable]) keys.push(own);
  return {
    account,
    baseUrl,
    apiKey: read(
      variables,
      keys.map(({ keyVariable }) => keyVariable),
    ),
    model: read(variables, [account.modelVariable, own.modelVariable]),
  };
}

/** The model that the environment names for a provider that was chosen, whether or not it gives a key. */
export function modelNamedFor(provider: ProviderName, variables: Variables): FromVariable | undefined {
  const own = ownAccount(provider);
  return own && read(variables, [own.modelVariable]);
}

function read(variables: Variables, names: readonly string[]): FromVariable | undefined {
  const variable = names.find((name) => variables[name]);
  return variable === undefined ? undefined : { variable, value: variables[variable] ?? '' };
}

/** The address in one spelling. Throws when it is none. */
export function checkedUrl(address: string): string {
  const url = readUrl(address);
  if (url) return url.href.replace(/\/$/, '');
  throw new SettingsError(`The base address "${address}" is not an http or https address.`);
}

function readUrl(address: string): URL | null {
  const text = /^[a-z]+:\/\//i.test(address) ? address : `http://${address}`;
  const url = URL.canParse(text) ? new URL(text) : null;
  return url && /^https?:$/.test(url.protocol) ? url : null;
}
