import { cleanHit } from './hits.js';
import type { SearchAnswer, SearchRequest } from './search-provider.js';
import { ask, type Service } from './service.js';

const withSources = {
  forced_search: true,
  enable_source: true,
  enable_citation: true,
  citation_format: '[<number>]',
};

/** A model that searches and names its sources; the interface compatible with others does not name them. */
export function dashscope(
  service: Service,
  model: string,
): (request: SearchRequest) => Promise<SearchAnswer> {
  return async ({ query, signal }) => {
    const answer = await ask(
      { ...service, judge },
      {
        path: '/api/v1/services/aigc/text-generation/generation',
        headers: { authorization: `Bearer ${service.apiKey}` },
        body: {
          model,
          input: { messages: [{ role: 'user', content: query }] },
          parameters: { result_format: 'message', enable_search: true, search_options: withSources },
        },
        signal,
      },
    );
    const output = answer.at('output');
    const hits = output
      .at('search_info', 'search_results')
      .list.toSorted((a, b) => a.at('index').number - b.at('index').number)
      .map((hit) => ({
        title: hit.at('title').text,
        url: hit.at('url').text,
        snippet: hit.at('snippet').text || hit.at('site_name').text,
        date: hit.at('publish_time').text,
      }));
    const content = output.at('choices', 0, 'message', 'content');
    const summary = content.text || content.list.map((part) => part.at('text').text).join('');
    return { hits: hits.map(cleanHit), summary: summary.trim() };
  };
}

const aboutKey = /^(InvalidApiKey|AccessDenied|Model\.AccessDenied|Workspace\.AccessDenied)/;
const aboutQuota =
  /^(Arrearage|AllocationQuota|Throttling\.AllocationQuota|CommodityNotPurchased|PrepaidBillOverdue|PostpaidBillOverdue)/;

const judge: Service['judge'] = (_status, body) => {
  const code = body.at('code').text;
  if (aboutKey.test(code)) return 'key';
  if (aboutQuota.test(code)) return 'quota';
  return code.startsWith('Throttling') ? 'rate' : undefined;
};
