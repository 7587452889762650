import { expect, it } from 'vitest';
import { definitions, tool } from './fixtures/fake-server.js';
import { accepting, activeTools, differences, differencesAsDiff, withFailure, withListing } from './pins.js';
import type { ServerRecord } from './server-record.js';

const listed = (...sent: Parameters<typeof definitions>) => ({
  tools: definitions(...sent),
  warnings: [],
  executable: '/bin/server',
  code: {},
  at: 5,
});
const names = (record: ServerRecord): string[] => activeTools(record).map(({ name }) => name);
const first = withListing(null, 'mail', listed(tool('read'), tool('send')));

it('the record of tools takes the first list as it comes', () => {
  expect(names(first)).toEqual(['read', 'send']);
  expect(differences(first)).toEqual([]);
  expect(first).toMatchObject({ server: 'mail', executable: '/bin/server', listedAt: 5 });
});

it('the record of tools takes the first list after a failure as it comes, too', () => {
  const failed = withFailure(null, 'mail', { message: 'it is mute', at: 1 });
  expect(failed).toMatchObject({ listedAt: 0, failure: { message: 'it is mute' } });
  expect(names(withListing(failed, 'mail', listed(tool('read'))))).toEqual(['read']);
});

it('the record of tools keeps a list that is known when the server fails later', () => {
  expect(withFailure(first, 'mail', { message: 'it is mute', at: 1 })).toBe(first);
});

it('a list that is as it was changes nothing, but is noted once a minute', () => {
  const tools = listed(tool('send'), tool('read'));
  expect(withListing(first, 'mail', { ...tools, at: 59_000 })).toBe(first);
  expect(withListing(first, 'mail', { ...tools, at: 61_000 }).listedAt).toBe(61_000);
  const fewer = withListing(first, 'mail', listed(tool('read')));
  expect(fewer.gone).toEqual(['send']);
  expect(withListing(fewer, 'mail', listed(tool('read')))).toBe(fewer);
  const warned = withListing(first, 'mail', { ...tools, warnings: ['One is odd.'] });
  expect(warned.warnings).toEqual(['One is odd.']);
});

it('the record of tools keeps new and changed tools off until they are accepted', () => {
  const later = withListing(first, 'mail', listed(tool('read'), tool('send', 'Sends to me.'), tool('burn')));
  expect(names(later)).toEqual(['read']);
  expect(differences(later)).toEqual([
    { tool: 'send', change: 'changed' },
    { tool: 'burn', change: 'new' },
  ]);
  const accepted = accepting(later, '/bin/other');
  expect(names(accepted)).toEqual(['read', 'send', 'burn']);
  expect(accepted).toMatchObject({ executable: '/bin/other', pending: [], gone: [] });
});

it.each<[string, Record<string, unknown>]>([
  ['description', { description: 'Sends, and tells nobody.\u200b' }],
  ['schema', { inputSchema: { type: 'object', properties: { to: { type: 'string' } } } }],
  ['annotations', { annotations: { readOnlyHint: true } }],
  ['title', { title: 'Read' }],
  ['output schema', { outputSchema: { type: 'object' } }],
])('the record of tools notices another %s', (_what, change) => {
  const later = withListing(first, 'mail', listed(tool('read'), { ...tool('send'), ...change }));
  expect(names(later)).toEqual(['read']);
});

it('the record of tools does not mind another order of keys or tools', () => {
  const sent = { inputSchema: tool('x')['inputSchema'], description: 'The tool send.', name: 'send' };
  expect(differences(withListing(first, 'mail', listed(sent, tool('read'))))).toEqual([]);
});

it('the record of tools remembers a tool that went away: it can come back as it was, not as another', () => {
  const without = withListing(first, 'mail', listed(tool('read')));
  expect(names(without)).toEqual(['read']);
  expect(differences(without)).toEqual([{ tool: 'send', change: 'gone' }]);
  expect(names(withListing(without, 'mail', listed(tool('read'), tool('send'))))).toEqual(['read', 'send']);
  expect(names(withListing(without, 'mail', listed(tool('read'), tool('send', 'Other.'))))).toEqual(['read']);
});

it('the record of tools shows what differs, as the server sent it', async () => {
  const later = withListing(first, 'mail', listed(tool('read', 'Reads mail.\u202e'), tool('burn')));
  const { files } = await differencesAsDiff(later);
  expect(files.map(({ path, change }) => [path, change])).toEqual([
    ['read', 'modify'],
    ['burn', 'create'],
    ['send', 'delete'],
  ]);
  expect(files[0]?.unified).toContain(
    '-  "description": "The tool read.",\n+  "description": "Reads mail.\u202e",',
  );
});
