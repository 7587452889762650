import { join, relative, sep } from 'node:path';
import { type OwnToolsOptions, openState, type ToolFolder } from '@toolwright/core';
import {
  createClock,
  createIds,
  type LoadedSettings,
  openTrustStore,
  type TrustState,
} from '@toolwright/core/front-end';
import type { Arguments } from '../command-line/args.js';
import { extensionTools, type UsedExtensions } from './extensions.js';

/** The part of a setup that finding tools needs. */
interface KnownSetup extends UsedExtensions {
  trusted: boolean;
  trust: Pick<TrustState, 'examination'>;
  loaded: Pick<LoadedSettings, 'settings'>;
}

/** Folders of the user's own tools, below the state folder and below a project. */
export const userToolsFolder = 'tools';
export const projectToolsFolder = join('.toolwright', 'tools');

/** Tool files and discovery commands of the user, and of a project they trust. */
export function ownToolsOf(setup: KnownSetup, args: Arguments): OwnToolsOptions {
  const { tools } = setup.loaded.settings;
  return {
    folders: [...toolFolders(setup, args), ...extensionTools(setup, vouchedIn(setup, args))],
    discoveryCommand: tools.toolDiscoveryCommand,
    callCommand: tools.toolCallCommand,
    thread: toolThread,
  };
}

/** Threads of tool files run this program, which then does nothing else. */
export async function toolThread() {
  return { path: new URL('../bin/toolwright.cjs', import.meta.url), argv: ['--tool-thread'] };
}

export function toolFolders(setup: KnownSetup, args: Arguments): ToolFolder[] {
  const own = { path: join(setup.stateFolder, userToolsFolder) };
  const ofProject = join(setup.trust.examination.folder, projectToolsFolder);
  if (!setup.trusted || ofProject === own.path) return [own];
  return [own, { path: ofProject, vouched: vouchedIn(setup, args) }];
}

/** Checks tool files against the user's answer about the folder; `--trust` vouches for all of them. */
function vouchedIn({ stateFolder, trust }: KnownSetup, args: Arguments): NonNullable<ToolFolder['vouched']> {
  if (args.switches.has('trust')) return async () => true;
  const { folder, fingerprint } = trust.examination;
  return async (path, sha256) => {
    const name = relative(folder, path).split(sep).join('/');
    if (fingerprint[name] === sha256) return true;
    const clock = createClock();
    const state = openState({ path: stateFolder, host: { clock, ids: createIds() } });
    const answers = await openTrustStore(state, { clock }).list();
    return answers.some(
      (answer) => answer.folder === folder && answer.trusted && answer.files[name] === sha256,
    );
  };
}
