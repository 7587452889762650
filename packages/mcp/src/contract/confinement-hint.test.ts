import { expect, it } from 'vitest';
import { confinementHint } from './confinement-hint.js';
import { parseServer } from './server-config.js';

const hint = (settings: Record<string, unknown>, text: string): string | null =>
  confinementHint(parseServer('notes', { command: 'notes', ...settings }, 'test'), 'call', text);

it('a server that could not write is told of the setting, and of the place where no setting helps', () => {
  expect(hint({}, "EROFS: read-only file system, open '/opt/notes/dist/memory.jsonl'")).toBe(
    'The server is confined: it may write to its home and to /tmp, which are its own. To let it change the folders to work in and the files that its settings name, the user can set mcpServers.notes.sandbox to "write". Beside its own program it can never write: a file that it keeps there needs another place, such as its home, by a variable or an argument of the server.',
  );
});

it.each([
  [
    'that has no network',
    { network: false },
    'getaddrinfo ENOTFOUND x',
    /set mcpServers\.notes\.network to true/,
  ],
  ['that may write already', { sandbox: 'write' }, 'EACCES: x', /mcpServers\.notes\.sandbox set to "off"/],
])('a server %s is told what would allow more', (_, settings, text, words) => {
  expect(hint(settings, text)).toMatch(words);
});

it('a failure that the sandbox has nothing to do with has no hint', () => {
  expect(hint({}, 'no such entity')).toBeNull();
  expect(hint({}, 'ENOENT: no such file or directory')).toBeNull();
});
