import { join } from 'node:path';
import {
  type ConfiguredServer,
  type HookFile,
  type PieceFolder,
  type PieceOptions,
  parseServer,
  type ToolFolder,
} from '@toolwright/core';
import {
  broughtServers,
  deadlineIn,
  extensionRoot,
  foldersOf,
  type InstalledExtension,
  messageOf,
  openDigests,
  openStateFolder,
  usableHome,
} from '@toolwright/core/front-end';

/** The extensions that are on, with the folder of the state. */
export interface UsedExtensions {
  stateFolder: string;
  extensions: readonly InstalledExtension[];
}

interface Placed extends InstalledExtension {
  name: string;
  root: string;
}

/** Every kind of piece asks for them at a start. */
const known = new WeakMap<readonly InstalledExtension[], Placed[]>();

function placed({ stateFolder, extensions }: UsedExtensions): Placed[] {
  const earlier = known.get(extensions);
  if (earlier) return earlier;
  const state = openStateFolder(stateFolder);
  const found = extensions
    .filter(({ isOn }) => isOn)
    .map((entry) => ({ ...entry, name: entry.extension.name, root: extensionRoot(state, entry) }));
  known.set(extensions, found);
  return found;
}

/** True for the folder of an extension that the project brings. */
export function isOfProject(root: string, used: UsedExtensions): boolean {
  return placed(used).some((entry) => entry.root === root && entry.digest === '');
}

/** Folders of one kind, after those of the user and of the project: where a name is taken, theirs counts. */
export function extensionFolders(
  kind: 'skills' | 'commands' | 'agents',
  used: UsedExtensions,
): PieceFolder[] {
  return placed(used).flatMap((entry) => foldersOf(entry.extension[kind], entry));
}

/** Hooks of extensions are confined. */
export function extensionHooks(used: UsedExtensions): HookFile[] {
  return placed(used).flatMap(({ extension, name, root }) =>
    extension.hooks.map(({ path, format }) => ({
      path: join(root, path),
      shown: `extension ${name}, ${path}`,
      format,
      isOwn: false,
      root,
    })),
  );
}

export function extensionNotesAndDigests(used: UsedExtensions): Pick<PieceOptions, 'context' | 'accepted'> {
  const all = placed(used);
  return {
    context: all.flatMap(({ extension, name, root, notes }) =>
      extension.context.map((path) => ({ name, root, path: join(root, path), accepted: notes?.[path] })),
    ),
    // The trust of a project covers its extensions.
    accepted: Object.fromEntries(
      all.filter(({ digest }) => digest !== '').map(({ root, digest }) => [root, digest]),
    ),
  };
}

/** `vouchedInProject` answers for the tools of extensions that a project brings. */
export function extensionTools(
  used: UsedExtensions,
  vouchedInProject: NonNullable<ToolFolder['vouched']>,
): ToolFolder[] {
  const withTools = placed(used).filter(({ extension }) => extension.tools.length > 0);
  if (withTools.length === 0) return [];
  const digests = openDigests(extensionNotesAndDigests(used).accepted ?? {});
  const vouched = (path: string): Promise<boolean> =>
    digests.requireAccepted(path, deadlineIn(VOUCH_LIMIT_MS)).then(
      () => true,
      () => false,
    );
  return withTools.flatMap(({ extension, name, root, digest }) =>
    extension.tools.map(({ path }) => ({
      path: join(root, path),
      extension: name,
      vouched: digest === '' ? vouchedInProject : vouched,
    })),
  );
}

const VOUCH_LIMIT_MS = 20_000;

export function excludedByExtensions({ extensions }: UsedExtensions): string[] {
  return extensions.filter(({ isOn }) => isOn).flatMap(({ extension }) => extension.excludeTools);
}

/** The servers of extensions, and sentences about those that can't be used. */
interface ExtensionServers {
  servers: ConfiguredServer[];
  problems: string[];
}

/** By what they were made of: a start asks for them several times. */
const knownServers = new WeakMap<readonly InstalledExtension[], { about: string; found: ExtensionServers }>();

/** Servers of extensions that no setting has the name of. */
export function extensionServers(
  used: UsedExtensions & { workspace: string },
  taken: readonly string[],
): ExtensionServers {
  const { extensions, workspace } = used;
  const about = JSON.stringify([workspace, taken]);
  const known = knownServers.get(extensions);
  if (known?.about === about) return known.found;
  const found = findServers(used, taken);
  knownServers.set(extensions, { about, found });
  return found;
}

function findServers(
  used: UsedExtensions & { workspace: string },
  taken: readonly string[],
): ExtensionServers {
  const found: ExtensionServers = { servers: [], problems: [] };
  const home = usableHome(process.env) ?? '/';
  for (const { extension, name: of, root, digest } of placed(used)) {
    if (Object.keys(extension.servers).length === 0) continue;
    const ofProject = digest === '';
    const places = { root, workspace: used.workspace, home, environment: process.env };
    for (const brought of broughtServers(extension, places)) {
      const { name } = brought;
      const off = (why: string) =>
        found.problems.push(`The MCP server ${name} of the extension ${of} is off: ${why}.`);
      const isTaken = [...taken, ...found.servers.map(({ config }) => config.alias)].includes(name);
      if (isTaken) off('its name is taken by another server');
      else if ('problem' in brought) off(brought.problem);
      else
        try {
          found.servers.push({
            config: parseServer(name, brought.server, `the extension ${of}`, {
              ofProject,
              extensionRoot: root,
            }),
            place: ofProject ? used.workspace : '',
          });
        } catch (error) {
          off(messageOf(error).replace(/\.$/, ''));
        }
    }
  }
  return found;
}
