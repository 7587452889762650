import { cleanHits } from './hits.js';
import { type SearchAnswer, SearchError, type SearchRequest } from './search-provider.js';
import { ask, type Service } from './service.js';

export function searxng(service: Service): (request: SearchRequest) => Promise<SearchAnswer> {
  const judged: Service = { ...service, judge: (status) => (status === 403 ? 'setup' : undefined) };
  return async ({ query, count, signal }) => {
    const answer = await ask(judged, {
      path: '/search',
      query: { q: query, format: 'json' },
      headers: service.apiKey === '' ? undefined : { authorization: `Bearer ${service.apiKey}` },
      signal,
    }).catch((error: unknown) => {
      if (!(error instanceof SearchError) || error.reason !== 'setup') throw error;
      throw new SearchError(
        'setup',
        `The SearXNG server at ${service.baseUrl} does not give JSON (403). Its owner has to add json to search.formats in its settings.yml.`,
      );
    });
    const hits = answer.at('results').list.map((hit) => ({
      title: hit.at('title').text,
      url: hit.at('url').text,
      snippet: hit.at('content').text,
      date: hit.at('publishedDate').text,
    }));
    return { hits: cleanHits(hits, count), summary: '' };
  };
}
