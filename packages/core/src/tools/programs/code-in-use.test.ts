import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { tempFolder } from '@toolwright/machine/base/fixtures/temp-folder.js';
import { createWorkspace } from '@toolwright/machine/host/workspace.js';
import { parseServer } from '@toolwright/mcp/contract/server-config.js';
import { beforeEach, expect, it } from 'vitest';
import { type Configured, codeInUse } from './code-in-use.js';

let base: string;
beforeEach(() => {
  base = tempFolder();
});

function write(name: string, content: string | object = ''): string {
  const path = join(base, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

async function inUse(more: Partial<Configured>): Promise<Record<string, string>> {
  mkdirSync(join(base, 'work'), { recursive: true });
  const workspace = createWorkspace({ directory: join(base, 'work') });
  const found = await codeInUse({ servers: [], ownTools: undefined, workspace, path: '/usr/bin', ...more });
  return Object.fromEntries(found.map(({ path, by }) => [relative(workspace.directory, path), by]));
}

it('code in use is nothing where nothing is configured, or only addresses are', async () => {
  expect(await inUse({ ownTools: { folders: [{ path: join(base, 'none') }] } })).toEqual({});
  const config = parseServer('far', { httpUrl: 'https://example.org/mcp' }, 'test');
  expect(await inUse({ servers: [{ config }] })).toEqual({});
});

it('code in use is what servers run, from their own folder', async () => {
  write('work/sub/server.py');
  const config = parseServer('notes', { command: 'python3', args: ['server.py'], cwd: 'sub' }, 'test');
  expect(await inUse({ servers: [{ config }] })).toMatchObject({ 'sub/server.py': 'the MCP server "notes"' });
});

it('code in use is what discovery commands run, and programs and files of tools, wherever they lie', async () => {
  for (const name of ['bin/list.sh', 'bin/call.mjs', 'scripts/count.js', 'shared/used.js'])
    write(`work/${name}`, name === 'bin/list.sh' ? 'exec bin/more.sh' : '');
  write('work/bin/more.sh');
  write('tools/count.json', {
    v: 1,
    name: 'count',
    description: 'Counts.',
    command: ['node', '../work/scripts/count.js'],
  });
  write('tools/broken.json', '{');
  write('tools/count.test.json', '{}');
  expect(
    await inUse({
      ownTools: {
        folders: [{ path: join(base, 'tools') }],
        discoveryCommand: './bin/list.sh --all',
        callCommand: ['node', 'bin/call.mjs'],
      },
    }),
  ).toEqual({
    'bin/list.sh': 'the discovery command',
    'bin/more.sh': 'the discovery command',
    'bin/call.mjs': 'the command for discovered tools',
    'scripts/count.js': 'the tool count.json',
  });
});
