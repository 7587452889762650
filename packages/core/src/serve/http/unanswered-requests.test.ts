import { expect, it } from 'vitest';
import { UnansweredRequests } from './unanswered-requests.js';

const request = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/call' });
const withdrawn = (requestId: number) => ({ method: 'notifications/cancelled', params: { requestId } });

it.each<[string, unknown[], object[], boolean]>([
  ['nothing', [], [], false],
  ['a request', [request(1)], [], true],
  ['a request and its result', [request(1)], [{ id: 1, result: {} }], false],
  ['a request and its error', [request(1)], [{ id: 1, error: {} }], false],
  ['two requests and one result', [request(1), request(2)], [{ id: 1, result: {} }], true],
  ['a list of requests and their results', [[request(1), request(2)]], [{ id: 1 }, { id: 2 }], false],
  ['a request that was withdrawn', [request(1), withdrawn(1)], [], false],
  ['a request and a question of the server', [request(1)], [{ id: 1, method: 'ping' }], true],
  ['an answer of the client, and news', [{ id: 5, result: {} }, { method: 'notifications/x' }], [], false],
  ['what is no message', [null, 'x', [7], { method: 3, id: 1 }], [], false],
])('%s', (_what, sent, answered, hasAny) => {
  const requests = new UnansweredRequests();
  for (const body of sent) requests.sent(body);
  for (const message of answered) requests.answered(message);
  expect(requests.hasAny).toBe(hasAny);
});
