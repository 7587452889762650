import { expect, test } from 'vitest';
import { matchHost } from './host-proxy.js';

test.each<[string[], string, number, 'exact' | 'below' | null]>([
  [['example.org'], 'example.org', 443, 'exact'],
  [['example.org'], 'EXAMPLE.org.', 80, 'exact'],
  [['example.org'], 'example.org', 22, null],
  [['example.org'], 'a.example.org', 443, null],
  [['example.org'], 'notexample.org', 443, null],
  [['example.org'], 'example.org.evil.com', 443, null],
  [['*.example.org'], 'a.example.org', 443, 'below'],
  [['*.example.org'], 'a.b.example.org', 443, 'below'],
  [['*.example.org'], 'example.org', 443, null],
  [['*.example.org'], 'aexample.org', 443, null],
  [['example.org:8443'], 'example.org', 8443, 'exact'],
  [['example.org:8443'], 'example.org', 443, null],
  [['*.example.org:8443'], 'a.example.org', 8443, 'below'],
  [['127.0.0.1:3000'], '127.0.0.1', 3000, 'exact'],
  [['[::1]:3000'], '::1', 3000, 'exact'],
  [['::1'], '::1', 443, 'exact'],
  [['::1'], '::', 1, null],
  [['*.'], 'example.org', 443, null],
  [['*'], 'example.org', 443, null],
  [[''], '', 443, null],
  [['*.example.org', 'a.example.org'], 'a.example.org', 443, 'exact'],
  [[], 'example.org', 443, null],
])('%j names %s:%d: %s', (hosts, host, port, expected) => {
  expect(matchHost(hosts, host, port)).toBe(expected);
});
