import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { tempFolder } from '@toolwright/machine/base/fixtures/temp-folder.js';
import type { Launch } from '@toolwright/machine/host/processes/processes.js';
import type { Profile } from '@toolwright/machine/host/sandbox/sandbox.js';
import { unconfined } from '@toolwright/machine/host/sandbox/unconfined.js';
import { openStateFolder } from '@toolwright/machine/host/state/state-folder.js';
import { createWorkspace } from '@toolwright/machine/host/workspace.js';
import { parseServer } from '@toolwright/mcp/contract/server-config.js';
import { beforeEach, expect, it } from 'vitest';
import { confineServers } from './confine-server.js';

let base: string;
const at = (name: string): string => join(base, name);
beforeEach(() => {
  base = tempFolder();
  for (const name of [
    'work',
    'home/data',
    'elsewhere/repo/node_modules/dep',
    'elsewhere/repo/packages/server',
  ])
    mkdirSync(at(name), { recursive: true });
  for (const name of [
    'elsewhere/repo/packages/server/package.json',
    'elsewhere/repo/packages/server/main.js',
    'home/loose.js',
    'home/data/memory.json',
  ])
    writeFileSync(at(name), '');
});

interface Seen {
  profile: Profile | null;
  launch: Launch;
}

async function confined(
  settings: Record<string, unknown>,
  ofProject = false,
  extensionRoot?: string,
): Promise<Seen> {
  const seen: Seen = { profile: null, launch: null as unknown as Launch };
  const confine = confineServers({
    workspace: createWorkspace({ directory: at('work') }),
    state: openStateFolder(at('home/.toolwright')),
    environment: { HOME: at('home'), PATH: '/usr/bin:/bin' },
    isOfProject: () => ofProject,
    confinement: {
      hiddenPaths: async () => [at('work/.env')],
      protectedPaths: async () => ({ protectedPaths: [at('work/.git/')] }),
      sandbox: {
        async confine(launch, profile) {
          seen.profile = profile;
          return unconfined(launch, { confined: false, sentence: '', program: null }, 'auto');
        },
      },
    },
  });
  const { endpoint } = parseServer('notes', { command: 'cat', ...settings }, 'test', {
    ofProject,
    extensionRoot,
  });
  if (endpoint.kind !== 'stdio') throw new Error('not a program');
  const launch = { program: 'cat', args: [], directory: at('work'), environment: { HOME: at('home') } };
  seen.launch = (
    await confine(launch, { alias: 'notes', program: endpoint }, new AbortController().signal)
  ).launch;
  return seen;
}

const shown = (paths: readonly string[] = []): string[] =>
  paths.filter((path) => path.startsWith(base)).map((path) => relative(base, path));

it('a server reads the workspace, and has a home of its own and the network', async () => {
  const { profile, launch } = await confined({});
  expect(profile).toMatchObject({
    workspace: 'read-only',
    roots: [at('work')],
    hidden: [at('work/.env')],
    network: 'open',
    home: expect.stringContaining(at('home/.toolwright/mcp/homes/notes-')),
  });
  expect(profile).not.toHaveProperty('protectedPaths');
  // Python must not run compiled files beside the sources, which nobody checks.
  expect(launch.environment['PYTHONPYCACHEPREFIX']).toBe(at('home/.cache/python'));
});

it('the sandbox gives the server of a project a home of its own, no network, and no files but its code', async () => {
  const { profile } = await confined(
    { args: [at('home/data')], env: { FILE: at('home/data/memory.json') } },
    true,
  );
  expect(profile?.network).toBe('off');
  expect(shown(profile?.readable)).toEqual([]);
  expect(profile?.home).not.toBe((await confined({})).profile?.home);
});

it('a server that may write finds protected paths held, and may change what its settings name', async () => {
  const env = {
    FILE: at('home/data/new.json'),
    OLD: at('home/data/memory.json'),
    HOME_FILE: at('home/x.json'),
  };
  const { profile } = await confined({ sandbox: 'write', env });
  expect(profile).toMatchObject({ workspace: 'writable', protectedPaths: [at('work/.git/')] });
  expect(shown(profile?.writable)).toEqual(['home/data', 'home/data/memory.json']);
});

it('the code of a server is seen with its package and the packages around it, never all of the home', async () => {
  const main = at('elsewhere/repo/packages/server/main.js');
  expect(shown((await confined({ command: 'node', args: [main] })).profile?.readable)).toEqual([
    'elsewhere/repo/packages/server/main.js',
    'elsewhere/repo/packages/server',
    'elsewhere/repo/node_modules',
  ]);
  const loose = await confined({ command: 'node', args: [at('home/loose.js')] });
  expect(shown(loose.profile?.readable)).toEqual(['home/loose.js']);
});

it('a server whose sandbox is off is started as it is', async () => {
  const { profile, launch } = await confined({ sandbox: 'off' });
  expect(profile).toBeNull();
  expect(launch).toMatchObject({ program: 'cat', directory: at('work') });
  expect(launch.environment['PYTHONPYCACHEPREFIX']).toContain('/mcp/homes/notes-');
});

it('the author of an extension opens nothing to its server but its own folder, whatever the command line names', async () => {
  const written = {
    command: 'node',
    args: [at('home/loose.js'), `--config=${at('elsewhere/repo/packages/server/main.js')}`, at('home/data')],
    env: { X: at('home'), Y: at('home/data/memory.json'), PLUGIN_ROOT: at('elsewhere/kit') },
  };
  for (const sandbox of ['read', 'write']) {
    const { profile } = await confined({ ...written, sandbox }, false, at('elsewhere/kit'));
    expect(shown([...(profile?.readable ?? []), ...(profile?.writable ?? [])])).toEqual(['elsewhere/kit']);
  }
  for (const program of [
    { command: at('home/loose.js') },
    { command: 'memory.json', env: { PATH: at('home/data') } },
  ]) {
    const { profile } = await confined(program, false, at('elsewhere/kit'));
    expect(shown(profile?.readable)).toEqual(['elsewhere/kit']);
  }
});
