import { cleanHits } from './hits.js';
import type { SearchAnswer, SearchRequest } from './search-provider.js';
import { ask, type Service } from './service.js';

export function brave(service: Service): (request: SearchRequest) => Promise<SearchAnswer> {
  const judged: Service = {
    ...service,
    judge: (_status, body) => {
      const code = body.at('error', 'code').text;
      if (
        /^(SUBSCRIPTION_TOKEN_INVALID|SUBSCRIPTION_NOT_FOUND|RESOURCE_NOT_ALLOWED|OPTION_NOT_IN_PLAN)$/.test(
          code,
        )
      )
        return 'key';
      if (/^(QUOTA_LIMITED|USAGE_LIMIT_EXCEEDED)$/.test(code)) return 'quota';
      return code === 'RATE_LIMITED' ? 'rate' : undefined;
    },
  };
  return async ({ query, count, signal }) => {
    const answer = await ask(judged, {
      path: '/res/v1/web/search',
      query: { q: query, count: String(Math.min(count, 20)), text_decorations: 'false' },
      headers: { 'x-subscription-token': service.apiKey },
      signal,
    });
    const hits = answer.at('web', 'results').list.map((hit) => ({
      title: hit.at('title').text,
      url: hit.at('url').text,
      snippet: hit.at('description').text,
      date: hit.at('page_age').text || hit.at('age').text,
    }));
    return { hits: cleanHits(hits, count), summary: '' };
  };
}
