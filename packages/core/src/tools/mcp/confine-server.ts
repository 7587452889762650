import { dirname, isAbsolute, join, resolve } from 'node:path';
import { sha256OfText } from '@toolwright/machine/base/digest/sha256.js';
import { removeTree } from '@toolwright/machine/host/leases/owned-folder.js';
import type { Profile, Sandbox } from '@toolwright/machine/host/sandbox/sandbox.js';
import { linkAt, lookAt, namesIn, realPathOf } from '@toolwright/machine/host/state/inspect-files.js';
import {
  type Environment,
  homeDirectory,
  type StateFolder,
} from '@toolwright/machine/host/state/state-folder.js';
import { isInside, type Workspace } from '@toolwright/machine/host/workspace.js';
import { executableOf } from '@toolwright/mcp/catalogue/executable.js';
import type { McpNeeds, StartedServer } from '@toolwright/mcp/contract/needs.js';
import type { McpProgram } from '@toolwright/mcp/contract/server-config.js';

/** Sandbox and rules that confine servers, as they confine commands. */
export interface ServerConfinement {
  sandbox: Pick<Sandbox, 'confine'>;
  /** Paths that rules hide from programs. */
  hiddenPaths(named: readonly string[], signal: AbortSignal): Promise<readonly string[]>;
  protectedPaths(): Promise<Pick<Profile, 'protectedPaths' | 'protectedIfThere'>>;
}

interface ConfineNeeds {
  confinement: ServerConfinement;
  workspace: Pick<Workspace, 'directory' | 'roots'>;
  state: Pick<StateFolder, 'make' | 'path' | 'pathOf'>;
  environment: Environment;
  /** True for a server of the project's settings: its command line opens nothing but its own code. */
  isOfProject(alias: string): boolean;
}

/**
 * Servers run like commands: the workspace read-only unless they may change it, secrets hidden, and in the place of the
 * home a folder of their own that is kept, where package managers find what they fetched.
 */
export function confineServers(needs: ConfineNeeds): NonNullable<McpNeeds['confine']> {
  return async (launch, server, signal) => {
    const { alias, program } = server;
    const home = await needs.state.make('mcp', 'homes', folderName(alias, needs));
    // Python runs compiled files in place of the sources beside them, and nobody checks those before a start.
    const compiled = (folder: string) => ({ PYTHONPYCACHEPREFIX: join(folder, '.cache', 'python') });
    if (program.sandbox === 'off') {
      const environment = { ...compiled(home), ...launch.environment };
      return { launch: { ...launch, environment }, confined: false, release: async () => undefined };
    }
    const profile = await profileOf(server, { ...needs, home, directory: launch.directory }, signal);
    const environment = { ...compiled(homeDirectory(needs.environment)), ...launch.environment };
    return needs.confinement.sandbox.confine({ ...launch, environment }, profile, signal);
  };
}

/** Folders of a home that hold downloads and other things that can be made again. */
const CACHES = ['.cache', '.npm'];

/** Caches of a server that was removed go with it. Its home stays, and is returned, where it has saved anything else. */
export async function forgetHome(alias: string, needs: ConfineNeeds): Promise<string | null> {
  const home = needs.state.pathOf('mcp', 'homes', folderName(alias, needs));
  for (const name of CACHES) await removeTree(join(home, name));
  if (await holdsContent(home)) return home;
  await removeTree(home);
  return null;
}

/** Empty files and folders are those that something was mounted on. */
async function holdsContent(folder: string): Promise<boolean> {
  for (const name of await namesIn(folder)) {
    const path = join(folder, name);
    // Links are not followed: those of a server can lead round in circles.
    if (linkAt(path) !== null) return true;
    const found = await lookAt(path);
    if (found?.kind === 'directory' ? await holdsContent(path) : found !== null && found.size > 0)
      return true;
  }
  return false;
}

/** Name of a server's home folder; servers of a project never share one with the user's own. */
function folderName(
  alias: string,
  { isOfProject, workspace }: Pick<ConfineNeeds, 'isOfProject' | 'workspace'>,
): string {
  const place = isOfProject(alias) ? workspace.directory : '';
  return `${alias.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 40)}-${sha256OfText(`${alias}\0${place}`).slice(0, 12)}`;
}

async function profileOf(
  { alias, program }: StartedServer,
  needs: ConfineNeeds & { home: string; directory: string },
  signal: AbortSignal,
): Promise<Profile> {
  const { workspace, confinement, directory } = needs;
  const mayWrite = program.sandbox === 'write';
  const rootsWith = (access: 'read' | 'write'): string[] =>
    workspace.roots.filter((root) => root.access === access).map(({ path }) => path);
  const isSeen = (path: string): boolean => workspace.roots.some((root) => isInside(path, root.path));
  const named = await placesOf(alias, program, needs);
  const places = [directory, ...named].filter((path) => !isSeen(path));
  return {
    workspace: mayWrite ? 'writable' : 'read-only',
    roots: rootsWith('write'),
    readable: unique([
      ...rootsWith('read'),
      ...(await codePlaces(program, needs)).filter((path) => !isSeen(path)),
      ...(mayWrite ? [directory].filter((path) => !isSeen(path)) : places),
    ]),
    writable: mayWrite ? places.filter((path) => path !== directory || program.cwd !== null) : [],
    hidden: await confinement.hiddenPaths([], signal),
    ...(mayWrite ? await confinement.protectedPaths() : {}),
    network: program.network === false ? 'off' : 'open',
    home: needs.home,
  };
}

const unique = (paths: readonly string[]): string[] => [...new Set(paths)];

/** Places that a command line opens beside its code: for a project nothing, for an extension its own folder. */
async function placesOf(alias: string, program: McpProgram, needs: ConfineNeeds): Promise<string[]> {
  if (program.extensionRoot !== undefined) return [program.extensionRoot];
  return needs.isOfProject(alias) ? [] : namedPlaces(program, needs);
}

/** Whole paths that the user wrote into the command or its variables: what the server is there to work with. */
async function namedPlaces(program: McpProgram, needs: ConfineNeeds): Promise<string[]> {
  const values = [...program.args, ...Object.values(program.env)];
  const words = values.flatMap((value) => [value, ...value.split(/[=:,]/)]);
  const places: string[] = [];
  for (const word of new Set(words)) {
    if (!isAbsolute(word) || word === '/') continue;
    const path = await realPathOf(word);
    if ((await lookAt(path)) !== null) places.push(path);
    // A file that the server is to make needs its folder.
    else if (program.sandbox === 'write' && (await isApart(dirname(path), needs))) places.push(dirname(path));
  }
  return places;
}

const PACKAGE_MARKS = [
  'package.json',
  'pyproject.toml',
  'setup.py',
  'requirements.txt',
  'deno.json',
  'pyvenv.cfg',
];

/** Folders with the server's code: the packages of the program and of the files that its command names. */
async function codePlaces(program: McpProgram, needs: ConfineNeeds): Promise<string[]> {
  const { workspace, environment } = needs;
  const where = { path: environment['PATH'] ?? '', directory: workspace.directory };
  const isForeign = program.extensionRoot !== undefined;
  // The author of an extension could name any file, so only what the PATH of the user leads to is shown beside its folder.
  if (isForeign && program.command.includes('/')) return [];
  const found = await executableOf(isForeign ? { ...program, env: {} } : program, where);
  const named = isAbsolute(program.command) ? [program.command] : [];
  const files = [
    ...named,
    ...(found === null ? [] : [found]),
    ...(isForeign ? [] : program.args.flatMap((word) => word.split('='))),
  ];
  const places: string[] = [];
  for (const file of new Set(files)) {
    if (!isAbsolute(file) || (await lookAt(file))?.kind !== 'file') continue;
    for (const each of new Set([file, await realPathOf(file)]))
      places.push(each, ...(await packagePlaces(each, needs)));
  }
  return places;
}

/** The package around a file, and the packages that it finds further up. */
async function packagePlaces(file: string, needs: ConfineNeeds): Promise<string[]> {
  const places: string[] = [];
  let isFound = false;
  for (let folder = dirname(file); dirname(folder) !== folder; folder = dirname(folder)) {
    const modules = join(folder, 'node_modules');
    if ((await lookAt(modules))?.kind === 'directory') places.push(modules);
    if (isFound || !(await isApart(folder, needs))) continue;
    for (const mark of PACKAGE_MARKS) isFound ||= (await lookAt(join(folder, mark))) !== null;
    if (isFound) places.push(folder);
  }
  if (!isFound && (await isApart(dirname(file), needs))) places.push(dirname(file));
  return places;
}

/** A folder that holds the home, or lies at the top of the system, would show far more than was meant. */
async function isApart(folder: string, { environment, state }: ConfineNeeds): Promise<boolean> {
  const home = await realPathOf(homeDirectory(environment));
  const holds = [home, state.path].some((place) => isInside(place, folder));
  return !holds && folder.split('/').length > 2 && resolve(folder) !== '/';
}
