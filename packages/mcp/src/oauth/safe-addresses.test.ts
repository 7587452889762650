import { expect, it } from 'vitest';
import { parseServer } from '../contract/server-config.js';
import { isSafeAddress } from './safe-addresses.js';

const { oauth } = parseServer('a', { httpUrl: 'https://a.test' }, 'test');
const configured = { ...oauth, tokenUrl: 'http://10.0.0.2/token' };

it.each([
  ['https://mcp.test/mcp', 'https://login.test/token', true],
  ['https://mcp.test/mcp', 'http://login.test/token', false],
  ['https://mcp.test/mcp', 'http://mcp.test/token', false],
  ['https://mcp.test/mcp', 'http://169.254.169.254/latest/meta-data', false],
  ['https://mcp.test/mcp', 'http://localhost:8080/admin', false],
  ['https://mcp.test/mcp', 'file:///etc/passwd', false],
  ['http://192.168.1.5:3000/mcp', 'http://192.168.1.5:9000/token', true],
  ['http://192.168.1.5:3000/mcp', 'http://192.168.1.6/token', false],
  ['http://192.168.1.5:3000/mcp', 'http://127.0.0.1/token', false],
  ['http://localhost:3000/mcp', 'http://127.0.0.1:9000/token', true],
  ['http://[::1]:3000/mcp', 'http://localhost:9000/token', true],
])('a server at %s may name %s: %s', (server, address, allowed) => {
  expect(isSafeAddress(new URL(address), server, oauth)).toBe(allowed);
});

it('an address that the user has configured may be asked', () => {
  const ask = (address: string) => isSafeAddress(new URL(address), 'https://mcp.test/mcp', configured);
  expect([ask('http://10.0.0.2/token'), ask('http://10.0.0.3/token')]).toEqual([true, false]);
});
