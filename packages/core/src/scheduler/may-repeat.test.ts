import type { Effect } from '@toolwright/machine/base/effect.js';
import { expect, it } from 'vitest';
import { createCallBench } from '../testing/call-bench.js';
import { scriptedTool } from '../testing/scripted-tool.js';
import { mayRepeat } from './may-repeat.js';

const read: Effect = { kind: 'read', path: '/work/a.txt' };
const command = {
  kind: 'execute',
  command: 'ls',
  directory: '/work',
  network: false,
  background: false,
} as const;
const readCommand: Effect = { ...command, readOnly: true, commands: [] };

it.each<[what: string, effects: Effect[] | undefined, may: boolean]>([
  ['that reads a file', [read], true],
  ['that reads files', [read, { kind: 'read', path: '/work/src' }], true],
  ['that names no effects', undefined, false],
  ['without any effect', [], false],
  ['that also writes', [read, { kind: 'write', path: '/work/a.txt' }], false],
  [
    'that also reaches a host',
    [read, { kind: 'network', host: 'example.com', port: 443, url: 'https://example.com/' }],
    false,
  ],
  ['that runs a command, were it one that only reads', [readCommand], false],
  ['of a server that says nothing about it', [{ kind: 'mcp', server: 's', tool: 't' }], false],
  ['that reads what a rule denies', [{ kind: 'read', path: '/work/secret.txt' }], false],
  ['that reads what the user is asked about', [{ kind: 'read', path: '/work/asked.txt' }], false],
  ['whose effects are broken', [{ kind: 'read', path: 'a.txt' }], false],
])('an interrupted call %s', async (_what, effects, may) => {
  const rules = (['deny', 'ask'] as const).map((verdict) => ({
    verdict,
    text: verdict === 'deny' ? 'Read(secret.txt)' : 'Read(asked.txt)',
    source: 'the test',
  }));
  const bench = await createCallBench({ tools: [scriptedTool('look', { effects })], mode: 'default', rules });
  expect(await mayRepeat({ id: '1', name: 'look', arguments: {} }, bench)).toBe(may);
});

it.each<[what: string, kind: 'allow' | 'ask', effects: Effect[] | undefined, may: boolean]>([
  ['of a server that is allowed', 'allow', [{ kind: 'mcp', server: 's', tool: 't' }], true],
  ['of a server that the user is asked about', 'ask', [{ kind: 'mcp', server: 's', tool: 't' }], false],
  ['that names no effects', 'allow', undefined, false],
])(
  'an interrupted call whose tool says that a repeat changes nothing, %s',
  async (_what, verdict, effects, may) => {
    const rules = [{ verdict, text: 'Mcp(s)', source: 'the test' }];
    const tool = Object.assign(scriptedTool('look', { effects }), { isRepeatable: true });
    const bench = await createCallBench({ tools: [tool], mode: 'default', rules });
    expect(await mayRepeat({ id: '1', name: 'look', arguments: {} }, bench)).toBe(may);
  },
);

it('a call of a tool that is not there any more, or whose arguments do not fit, is never run again', async () => {
  const schema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
  const bench = await createCallBench({ tools: [scriptedTool('look', { effects: [read], schema })] });
  expect(await mayRepeat({ id: '1', name: 'gone', arguments: {} }, bench)).toBe(false);
  expect(await mayRepeat({ id: '1', name: 'look', arguments: {} }, bench)).toBe(false);
  expect(await mayRepeat({ id: '1', name: 'look', arguments: { path: 'a' } }, bench)).toBe(true);
});

it('a tool that was caught changing files is not believed', async () => {
  const tool = scriptedTool('look', { effects: [read] });
  const bench = await createCallBench({ tools: [] });
  bench.registry.registerTool(tool, { kind: 'discovered', command: 'x' } as never);
  const falseClaims = { of: async () => ({ tool: 'look' }) as never };
  expect(await mayRepeat({ id: '1', name: 'look', arguments: {} }, bench)).toBe(true);
  expect(await mayRepeat({ id: '1', name: 'look', arguments: {} }, { ...bench, falseClaims })).toBe(false);
});

it('a tool of a server that was caught is not believed that a repeat changes nothing', async () => {
  const effects: Effect[] = [{ kind: 'mcp', server: 's', tool: 'look' }];
  const tool = Object.assign(scriptedTool('look', { effects }), { isRepeatable: true });
  const rules = [{ verdict: 'allow' as const, text: 'Mcp(s)', source: 'the test' }];
  const bench = await createCallBench({ tools: [], mode: 'default', rules });
  bench.registry.registerTool(tool, { kind: 'mcp', server: 's', bareName: 'look' });
  const falseClaims = { of: async () => ({ tool: 'look' }) as never };
  expect(await mayRepeat({ id: '1', name: 'look', arguments: {} }, bench)).toBe(true);
  expect(await mayRepeat({ id: '1', name: 'look', arguments: {} }, { ...bench, falseClaims })).toBe(false);
});
