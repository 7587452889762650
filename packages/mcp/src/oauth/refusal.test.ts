import { describe, expect, it } from 'vitest';
import { isDueForRefresh, readCredentials, toTokens } from './credentials.js';
import { challengeIn } from './refusal.js';

const answer = (status: number, text = '', authenticate: string | null = null) =>
  challengeIn({ status, text, header: () => authenticate });
const plain = { resourceMetadataUrl: null, scope: null, needsMore: false };

describe('a refusal', () => {
  it.each([
    [answer(401), plain],
    [
      answer(401, '', 'Bearer error="invalid_token", resource_metadata="https://a.test/meta", scope="a b"'),
      { resourceMetadataUrl: 'https://a.test/meta', scope: 'a b', needsMore: false },
    ],
    [
      answer(403, '', 'Bearer error="insufficient_scope", scope=admin'),
      { resourceMetadataUrl: null, scope: 'admin', needsMore: true },
    ],
    [answer(200, '{"ok":false,"error":"invalid_auth"}'), plain],
    [answer(200, '{"jsonrpc":"2.0","id":1,"error":{"code":401,"message":"no"}}'), plain],
    [answer(200, '{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"Unauthorized"}}'), plain],
    [answer(200, '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Token has expired"}}'), plain],
    [answer(200, '', 'Bearer realm="x"'), plain],
  ])('%#: %j', (found, expected) => {
    expect(found).toEqual(expected);
  });

  it.each([
    ['an answer', answer(200, '{"jsonrpc":"2.0","id":1,"result":{"content":[{"text":"unauthorized"}]}}')],
    ['another error', answer(200, '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"bad path"}}')],
    ['an error of the service', answer(200, '{"ok":false,"error":"channel_not_found"}')],
    ['a long text', answer(200, `{"error":"invalid_auth","x":"${'x'.repeat(5_000)}"}`)],
    ['no JSON', answer(200, 'unauthorized')],
    ['a plain no', answer(403, '', 'Bearer')],
    ['a missing page', answer(404)],
  ])('is not seen in %s', (_what, found) => {
    expect(found).toBeNull();
  });
});

describe('tokens', () => {
  const before = { accessToken: 'a', refreshToken: 'r', scope: 's', obtainedAt: 0, expiresAt: 1 };

  it('keep what the server leaves out', () => {
    expect(toTokens({ access_token: 'b', token_type: 'Bearer', expires_in: 10 }, before, 1_000)).toEqual({
      accessToken: 'b',
      refreshToken: 'r',
      scope: 's',
      obtainedAt: 1_000,
      expiresAt: 11_000,
    });
  });

  it.each([
    [3_600_000, 3_539_999, false],
    [3_600_000, 3_540_000, true],
    [8_000, 5_999, false],
    [8_000, 6_000, true],
    [null, 1e12, false],
  ])('that live for %s ms are due after %s ms: %s', (expiresAt, now, due) => {
    expect(isDueForRefresh({ ...before, expiresAt }, now)).toBe(due);
  });

  it('that nobody of us wrote read as none', () => {
    const none = { authority: null, client: null, tokens: null };
    expect(readCredentials(null)).toEqual(none);
    expect(readCredentials({ tokens: { accessToken: 7 }, client: 'x', authority: [] })).toEqual(none);
  });
});
