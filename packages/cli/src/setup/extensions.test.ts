import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openState } from '@toolwright/core';
import {
  createClock,
  createIds,
  type InstalledExtension,
  installedExtensions,
  saveInstalled,
} from '@toolwright/core/front-end';
import { createTempWorkspace, type TempWorkspace } from '@toolwright/core/testing';
import { afterEach, expect, it } from 'vitest';
import { findAgents } from '../../../core/src/pieces/agents/agent-piece.js';
import { findCommands } from '../../../core/src/pieces/commands/find-commands.js';
import { findSkills } from '../../../core/src/pieces/skills/find-skills.js';
import { extensionFolders, extensionServers, isOfProject } from './extensions.js';

let made: TempWorkspace | undefined;
afterEach(() => made?.cleanup());

/** An extension that brings one piece of each kind. */
function kit(name: string, server: object = { command: 'node' }): InstalledExtension {
  return {
    extension: {
      name,
      version: '',
      description: '',
      format: 'agent-plugin',
      manifest: 'plugin.json',
      skills: [{ path: 'skills' }],
      commands: [{ path: 'commands' }],
      agents: [{ path: 'agents' }],
      tools: [],
      hooks: [],
      servers: { sea: { ...server } },
      context: [],
      excludeTools: [],
      variables: [],
    },
    source: { kind: 'folder', place: '/x' },
    digest: name,
    folder: `${name}/1`,
    isOn: true,
    acceptedAt: 0,
  };
}

it('of two extensions that bring the same names the one that was accepted first has them, whatever it is called', async () => {
  made = createTempWorkspace();
  const stateFolder = join(made.directory, 'state');
  const state = openState({ path: stateFolder, host: { clock: createClock(), ids: createIds() } });
  const { signal } = new AbortController();
  for (const [index, name] of ['zzz', 'mmm', 'aaa'].entries()) {
    const root = state.pathOf('extensions', name, '1');
    for (const [path, text] of [
      ['skills/tides/SKILL.md', '---\nname: tides\ndescription: Reads tables.\n---\nDo it.\n'],
      ['commands/look.md', 'Look.'],
      ['agents/pilot.md', '---\nname: pilot\ndescription: Steers.\n---\nSteer.\n'],
    ] as const) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    // The one in the middle was brought over, and nobody has accepted it.
    const entry = { ...kit(name), acceptedAt: name === 'mmm' ? 0 : index + 1, isOn: name !== 'mmm' };
    await saveInstalled(name, entry, { state, signal });
  }
  const extensions = await installedExtensions(state);
  expect(extensions.map(({ extension }) => extension.name)).toEqual(['zzz', 'aaa', 'mmm']);

  const used = { stateFolder, extensions, workspace: made.directory };
  const skills = await findSkills(extensionFolders('skills', used)).look();
  expect(skills.places.map(({ from }) => from.shown)).toEqual(['the extension zzz']);
  expect(skills.problems).toHaveLength(1);
  const { places } = await findCommands(extensionFolders('commands', used), []);
  expect([...places].map(([name, { from }]) => [name, from.shown])).toEqual([
    ['look', 'the extension zzz'],
    ['aaa:look', 'the extension aaa'],
  ]);
  const { agents } = await findAgents(extensionFolders('agents', used));
  expect(agents.find(({ name }) => name === 'pilot')?.from).toBe('the extension zzz');
  const { servers, problems } = extensionServers(used, []);
  expect(servers.map(({ config }) => config.endpoint)).toMatchObject([
    { extensionRoot: state.pathOf('extensions', 'zzz', '1') },
  ]);
  expect(problems).toEqual([
    'The MCP server sea of the extension aaa is off: its name is taken by another server.',
  ]);
});

it('a server of an extension that a project brings has no network unless its entry says so, as one of its settings', () => {
  made = createTempWorkspace();
  const workspace = made.directory;
  const root = join(workspace, '.toolwright/extensions/port');
  const of = (server: object) =>
    extensionServers(
      {
        stateFolder: join(workspace, 'state'),
        extensions: [{ ...kit('port', server), digest: '', root }],
        workspace,
      },
      [],
    ).servers;
  expect(of({ command: 'node' })).toMatchObject([
    { config: { endpoint: { network: false, extensionRoot: root } }, place: workspace },
  ]);
  expect(of({ command: 'node', network: true })).toMatchObject([{ config: { endpoint: { network: true } } }]);
});

it('the folder of an extension that a project brings is of the project, another one is not', () => {
  made = createTempWorkspace();
  const root = join(made.directory, '.toolwright/extensions/port');
  const own = kit('sea', { command: 'node' });
  const ofProject = { ...kit('port', { command: 'node' }), digest: '', root };
  const stateFolder = join(made.directory, 'state');
  const about = (...extensions: InstalledExtension[]) => isOfProject(root, { stateFolder, extensions });
  expect([about(own, ofProject), about(own, { ...ofProject, digest: 'x' }), about(own)]).toEqual([
    true,
    false,
    false,
  ]);
});

it('the servers of extensions are found once for all who ask, and anew where another server has a name', () => {
  made = createTempWorkspace();
  const used = {
    stateFolder: join(made.directory, 'state'),
    extensions: [kit('port')],
    workspace: made.directory,
  };
  const first = extensionServers(used, []);
  expect(extensionServers(used, [])).toBe(first);
  expect(extensionServers(used, ['sea']).servers).toEqual([]);
  expect(extensionServers({ ...used, extensions: [...used.extensions] }, [])).not.toBe(first);
});
