import { cleanHits } from './hits.js';
import type { SearchAnswer, SearchRequest } from './search-provider.js';
import { ask, type Service } from './service.js';

export function tavily(service: Service): (request: SearchRequest) => Promise<SearchAnswer> {
  const judged: Service = {
    ...service,
    // Tavily has status codes of its own: for the plan's limit, and for the limit of paying as one goes.
    judge: (status) => (status === 432 || status === 433 ? 'quota' : undefined),
  };
  return async ({ query, count, signal }) => {
    const answer = await ask(judged, {
      path: '/search',
      headers: { authorization: `Bearer ${service.apiKey}` },
      body: { query, max_results: count },
      signal,
    });
    const hits = answer.at('results').list.map((hit) => ({
      title: hit.at('title').text,
      url: hit.at('url').text,
      snippet: hit.at('content').text,
      date: hit.at('published_date').text,
    }));
    return { hits: cleanHits(hits, count), summary: '' };
  };
}
