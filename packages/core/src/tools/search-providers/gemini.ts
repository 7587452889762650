import { judgeGoogle } from './google.js';
import { cleanHit } from './hits.js';
import type { JsonReader } from './json-reader.js';
import type { SearchAnswer, SearchRequest } from './search-provider.js';
import { ask, type Service } from './service.js';

/** A model whose answer is grounded in a Google search. */
export function gemini(service: Service, model: string): (request: SearchRequest) => Promise<SearchAnswer> {
  const judged: Service = { ...service, judge: judgeGoogle };
  return async ({ query, signal }) => {
    const answer = await ask(judged, {
      path: `/v1beta/models/${encodeURIComponent(model)}:generateContent`,
      headers: { 'x-goog-api-key': service.apiKey },
      body: { contents: [{ role: 'user', parts: [{ text: query }] }], tools: [{ google_search: {} }] },
      signal,
    });
    const candidate = answer.at('candidates', 0);
    const grounding = candidate.at('groundingMetadata');
    const supports = grounding.at('groundingSupports').list;
    const hits = grounding.at('groundingChunks').list.map((chunk, index) => ({
      title: chunk.at('web', 'title').text,
      url: chunk.at('web', 'uri').text,
      snippet: supportedText(supports, index),
      date: '',
    }));
    const text = candidate
      .at('content', 'parts')
      .list.map((part) => part.at('text').text)
      .join('');
    return { hits: hits.map(cleanHit), summary: cited(text, supports).trim() };
  };
}

function supportedText(supports: readonly JsonReader[], index: number): string {
  return supports
    .filter((support) => support.at('groundingChunkIndices').list.some((each) => each.number === index))
    .map((support) => support.at('segment', 'text').text)
    .join(' … ');
}

/** Puts [1][2] behind the passages they support. The places are counted in bytes. */
function cited(text: string, supports: readonly JsonReader[]): string {
  const bytes = Buffer.from(text);
  const marks = supports
    .map((support) => ({
      end: support.at('segment', 'endIndex').number,
      mark: support
        .at('groundingChunkIndices')
        .list.map((index) => `[${index.number + 1}]`)
        .join(''),
    }))
    .filter(({ end, mark }) => end > 0 && end <= bytes.length && mark !== '')
    .toSorted((a, b) => a.end - b.end);
  let done = 0;
  let result = '';
  for (const { end, mark } of marks) {
    result += bytes.subarray(done, end).toString('utf8') + mark;
    done = end;
  }
  return result + bytes.subarray(done).toString('utf8');
}
