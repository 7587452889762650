import { expect, it } from 'vitest';
import { refusalOf } from './gate.js';

const token = 'the-token-0123456789';
const good = { host: '127.0.0.1:8080', authorization: `Bearer ${token}` };

it.each<[string, Record<string, string>, string, number | null]>([
  ['the right token', {}, '/mcp', null],
  ['a name of this machine', { host: 'localhost' }, '/mcp', null],
  ['the sixth version of its address', { host: '[::1]:8080' }, '/mcp', null],
  ['a page of this machine', { origin: 'http://localhost:6274' }, '/mcp', null],
  ['the scheme in other letters', { authorization: `bearer ${token}` }, '/mcp', null],
  ['a query', {}, '/mcp?x=1', null],
  ['no host', { host: '' }, '/mcp', 403],
  ['another host', { host: 'evil.example:8080' }, '/mcp', 403],
  ['our address before an @', { host: '127.0.0.1@evil.example' }, '/mcp', 403],
  ['our address as a part of a name', { host: '127.0.0.1.evil.example' }, '/mcp', 403],
  ['another page', { origin: 'https://evil.example' }, '/mcp', 403],
  ['a page without a place', { origin: 'null' }, '/mcp', 403],
  ['an empty origin', { origin: '' }, '/mcp', 403],
  ['another path', {}, '/mcp/more', 404],
  ['no token', { authorization: '' }, '/mcp', 401],
  ['another token', { authorization: 'Bearer the-token-012345678X' }, '/mcp', 401],
  ['a beginning of the token', { authorization: 'Bearer the-token' }, '/mcp', 401],
  ['another scheme', { authorization: `Basic ${token}` }, '/mcp', 401],
])('a request is let in or refused: %s', (_name, headers, path, status) => {
  const request = new Request(`http://127.0.0.1:8080${path}`, { headers: { ...good, ...headers } });
  expect(refusalOf(request, token)?.status ?? null).toBe(status);
});
