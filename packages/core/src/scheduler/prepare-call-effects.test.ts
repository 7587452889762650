import { expect, it } from 'vitest';
import { effectsProblem } from './prepare-call.js';

it.each([
  [undefined, null],
  [[], null],
  [[{ kind: 'read', path: '/a' }], null],
  [[{ kind: 'network', host: 'a.org', port: 443, url: 'https://a.org/' }], null],
  ['read', 'its effects are a string instead of a list'],
  [[null], 'its effect 1 is null instead of an object'],
  [
    [
      { kind: 'read', path: '/a' },
      { kind: 'wirte', path: '/b' },
    ],
    'its effect 2 has no known kind: "wirte" (did you mean write?)',
  ],
  [
    [{ path: '/b' }],
    'its effect 1 has no known kind: undefined is none of read, write, delete, memory, execute, network, mcp, outside',
  ],
  [[{ kind: 'delete' }], 'its effect 1 of kind delete has no path'],
  [
    [{ kind: 'write', path: 'b.txt' }],
    'its effect 1 of kind write names "b.txt", which is not an absolute path (host.workspace.resolve makes one)',
  ],
])('the declared effects %j: %s', (declared, problem) => {
  expect(effectsProblem(declared)).toBe(problem);
});
