import { plural } from '@toolwright/machine/base/amounts.js';
import { isToolError } from '@toolwright/machine/base/errors.js';
import type { Http } from '@toolwright/machine/host/http/http.js';
import type { SearchAnswer, SearchProvider, SearchProviderName, SearchRequest } from './search-provider.js';
import type { Service } from './service.js';

/** The search settings of the user. */
export interface SearchOptions {
  provider?: SearchProviderName;
  apiKey?: string;
  engineId?: string;
  /** Address of a SearXNG server, or of another endpoint. */
  baseUrl?: string;
  /** Model of the providers that answer through one. */
  model?: string;
}

type SearchFunction = (request: SearchRequest) => Promise<SearchAnswer>;

interface ProviderEntry {
  label: string;
  baseUrl: string;
  needs: readonly ('apiKey' | 'engineId' | 'baseUrl')[];
  load(service: Service, options: SearchOptions): Promise<SearchFunction>;
}

const entries: Record<SearchProviderName, ProviderEntry> = {
  tavily: {
    label: 'Tavily',
    baseUrl: 'https://api.tavily.com',
    needs: ['apiKey'],
    load: async (service) => (await import('./tavily.js')).tavily(service),
  },
  brave: {
    label: 'Brave Search',
    baseUrl: 'https://api.search.brave.com',
    needs: ['apiKey'],
    load: async (service) => (await import('./brave.js')).brave(service),
  },
  google: {
    label: 'Google Custom Search',
    baseUrl: 'https://customsearch.googleapis.com',
    needs: ['apiKey', 'engineId'],
    load: async (service, { engineId = '' }) => (await import('./google.js')).google(service, engineId),
  },
  searxng: {
    label: 'SearXNG',
    baseUrl: '',
    needs: ['baseUrl'],
    load: async (service) => (await import('./searxng.js')).searxng(service),
  },
  dashscope: {
    label: 'DashScope',
    baseUrl: 'https://dashscope.aliyuncs.com',
    needs: ['apiKey'],
    load: async (service, { model = 'qwen-plus' }) =>
      (await import('./dashscope.js')).dashscope(service, model),
  },
  gemini: {
    label: 'Gemini with Google Search',
    baseUrl: 'https://generativelanguage.googleapis.com',
    needs: ['apiKey'],
    load: async (service, { model = 'gemini-2.5-flash' }) =>
      (await import('./gemini.js')).gemini(service, model),
  },
};

/** Why there is no web search with these options, and what to do; null when there is. */
export function searchProblem(options: SearchOptions): string | null {
  if (options.provider === undefined) {
    return `Web search is off. To turn it on, set web.search.provider (${Object.keys(entries).join(', ')}) in the user settings, and its key in web.search.apiKey.`;
  }
  const missing = entries[options.provider].needs.filter((name) => !options[name]);
  if (missing.length === 0) return null;
  const names = missing.map((name) => `web.search.${name}`).join(' and ');
  return `Web search with ${entries[options.provider].label} needs ${names} in the user settings.`;
}

/** Null when nothing is configured: then the tool is not offered. */
export function createSearchProvider(options: SearchOptions, http: Http): SearchProvider | null {
  if (options.provider === undefined || searchProblem(options) !== null) return null;
  const { label, baseUrl, load } = entries[options.provider];
  const service: Service = {
    label,
    http,
    baseUrl: (options.baseUrl || baseUrl).replace(/\/+$/, ''),
    apiKey: options.apiKey ?? '',
  };
  let search: Promise<SearchFunction> | undefined;
  return {
    name: options.provider,
    label,
    endpoint: service.baseUrl,
    async search(request) {
      search ??= load(service, options);
      return await (await search)(request);
    },
  };
}

export interface SearchTrial {
  ok: boolean;
  /** A line for the user. */
  message: string;
}

/** Searches once, to see whether key and service work. */
export async function trySearch(provider: SearchProvider, signal: AbortSignal): Promise<SearchTrial> {
  try {
    const { hits } = await provider.search({ query: 'open source software', count: 3, signal });
    if (hits.length > 0)
      return { ok: true, message: `${provider.label} answers (${plural(hits.length, 'result')}).` };
    return { ok: false, message: `${provider.label} answers, but found nothing for a common phrase.` };
  } catch (error) {
    if (isToolError(error)) return { ok: false, message: error.message };
    throw error;
  }
}
