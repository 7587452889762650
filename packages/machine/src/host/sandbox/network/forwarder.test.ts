import { expect, it } from 'vitest';
import { proxyVariables } from './forwarder.js';

it('servers inside are reached directly, a named one of this machine by the proxy', () => {
  expect(proxyVariables(8080, ['example.org'])['NO_PROXY']).toBe('localhost,127.0.0.1,::1');
  expect(proxyVariables(8080, ['localhost:5432'])['no_proxy']).toBe('127.0.0.1,::1');
  expect(proxyVariables(8080, ['127.0.0.1', 'localhost'])['NO_PROXY']).toBe('::1');
});
