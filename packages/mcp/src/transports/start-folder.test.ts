import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { startFolder } from './start-folder.js';

const workspace = realpathSync(mkdtempSync(join(tmpdir(), 'start-folder-')));
for (const file of ['server.mjs', 'server.py', 'server', 'data.db']) writeFileSync(join(workspace, file), '');
mkdirSync(join(workspace, 'package'));
afterAll(() => rmSync(workspace, { recursive: true, force: true }));

const program = (line: string, cwd: string | null = null) => {
  const [command = '', ...args] = line.split(' ');
  return { kind: 'stdio' as const, command, args, env: {}, cwd };
};
const untrusted = { workspace, makeEmptyFolder: async () => '/empty' };

describe('in a folder that nobody vouches for', () => {
  it.each([
    'npx -y some-server',
    '/usr/bin/npx some-server /data',
    'uvx mcp-server-git',
    'python3 -m some_server',
    'node -r dotenv/config /opt/server.mjs',
    'node --import=tsx /opt/server.mjs',
    'bun /opt/server.ts',
    'env A=b npx some-server',
  ])('%s starts in an empty folder, because it would run what it finds in the workspace', async (line) => {
    expect(await startFolder(program(line), untrusted)).toBe('/empty');
  });

  it.each([
    ['some-server .', 'a program of the system may work on it'],
    ['node /opt/server.mjs .', 'a script elsewhere, too'],
    ['node /opt/server.mjs --file data.db', 'data is no code'],
    ['sh -c date', 'a shell looks nowhere by itself'],
    ['docker run -i some/server', 'a container has its own files'],
    ['node missing.mjs', 'what is not there can not run'],
  ])('%s starts in it: %s', async (line) => {
    expect(await startFolder(program(line), untrusted)).toBe(workspace);
  });

  it.each([
    'node server.mjs',
    'node package',
    'python3 ./server.py',
    './server',
    'sh -c ./server',
    'sh server',
    'node --import=./server.mjs /opt/x.mjs',
  ])('%s does not start, as it would run a file of it', async (line) => {
    await expect(startFolder(program(line), untrusted)).rejects.toThrow(
      /would run .*, which belongs to a folder that you do not trust; write the whole path .* toolwright trust/,
    );
  });

  it.each(['npx some-server .', 'npx tsx ../x', 'uv run --directory ./x server'])(
    '%s does not start, as the path would mean another place',
    async (line) => {
      await expect(startFolder(program(line), untrusted)).rejects.toThrow(
        /starts elsewhere, where "\.\.?(\/x)?" is another place; write the whole path instead/,
      );
    },
  );

  it('a folder that the settings name counts as theirs, a folder inside does not', async () => {
    expect(await startFolder(program('npx some-server', '/opt'), untrusted)).toBe('/opt');
    expect(await startFolder(program('npx some-server', 'package'), untrusted)).toBe('/empty');
  });
});

it('in a folder that is vouched for everything starts there', async () => {
  for (const line of ['npx some-server .', 'node server.mjs', './server'])
    expect(await startFolder(program(line), { workspace })).toBe(workspace);
});
