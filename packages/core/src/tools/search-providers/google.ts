import { cleanHits } from './hits.js';
import type { JsonReader } from './json-reader.js';
import type { SearchAnswer, SearchFailure, SearchRequest } from './search-provider.js';
import { ask, type Service } from './service.js';

/** Google's services answer bad keys with 400, and quotas per day and per minute both with 429. */
export function judgeGoogle(status: number, body: JsonReader): SearchFailure | undefined {
  const error = body.at('error');
  const reasons = [...error.at('errors').list, ...error.at('details').list].map(
    (each) => each.at('reason').text,
  );
  const message = error.at('message').text;
  if (
    reasons.some((reason) =>
      /^(API_KEY_INVALID|keyInvalid|keyExpired|API_KEY_SERVICE_BLOCKED|accessNotConfigured|SERVICE_DISABLED)$/.test(
        reason,
      ),
    )
  )
    return 'key';
  if (status === 400 && /api key/i.test(message)) return 'key';
  if (reasons.some((reason) => /^(dailyLimitExceeded|quotaExceeded)$/.test(reason))) return 'quota';
  if (status === 429)
    return /per day|per month|daily|billing|free_tier_requests/i.test(message) ? 'quota' : 'rate';
  if (reasons.some((reason) => /rateLimitExceeded/i.test(reason))) return 'rate';
  return undefined;
}

export function google(
  service: Service,
  engineId: string,
): (request: SearchRequest) => Promise<SearchAnswer> {
  const judged: Service = { ...service, judge: judgeGoogle };
  return async ({ query, count, signal }) => {
    const answer = await ask(judged, {
      path: '/customsearch/v1',
      query: { cx: engineId, q: query, num: String(Math.min(count, 10)) },
      // In a header, not in the address, where proxies and logs would see it.
      headers: { 'x-goog-api-key': service.apiKey },
      signal,
    });
    const hits = answer.at('items').list.map((hit) => {
      const tags = hit.at('pagemap', 'metatags', 0);
      return {
        title: hit.at('title').text,
        url: hit.at('link').text,
        snippet: hit.at('snippet').text,
        date: tags.at('article:published_time').text || tags.at('date').text,
      };
    });
    return { hits: cleanHits(hits, count), summary: '' };
  };
}
