import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { SettingsError } from '@toolwright/machine/base/errors.js';
import {
  secretsInAddress,
  secretsInEnvironment,
  secretsInHeaders,
  secretsInWords,
} from '@toolwright/machine/base/secrets/known-secrets.js';
import { linkAt, lookAt, realPathOf } from '@toolwright/machine/host/state/inspect-files.js';
import { readSmallFile } from '@toolwright/machine/host/state/read-file.js';
import {
  type Environment,
  homeDirectory,
  openStateFolder,
} from '@toolwright/machine/host/state/state-folder.js';
import { parseDotEnv } from './expand-variables.js';
import { mergeLayers } from './merge-layers.js';
import { describeProblem, describeUnset, type Layer, type Origin, settingsError } from './problems.js';
import { type Assignment, type ReadLayer, readLayer } from './read-layer.js';
import type { Settings } from './setting-keys.js';
import { readFlags, readModelEnvironment, type SettingFlags } from './user-layers.js';

const systemSettingsFile = '/etc/toolwright/settings.json';
const projectSettingsFile = join('.toolwright', 'settings.json');
const projectServersFile = '.mcp.json';

export interface LoadSettingsOptions {
  /** Path of the state folder, which holds the settings of the user. */
  stateFolder: string;
  /** Folder of the project. */
  workspace: string;
  /** The user trusts the project; its files are not read otherwise. */
  trusted: boolean;
  environment: Environment;
  flags?: SettingFlags;
  /** `--settings` */
  settingsFile?: string;
  /** `--mcp-config` */
  mcpConfigFile?: string;
  systemFile?: string;
  /** SHA-256 of the project's files as they were when trust was checked: a file changed since is refused. */
  fingerprint?: Readonly<Record<string, string>>;
}

export interface SettingsFile {
  layer: Layer;
  path: string;
  state: 'read' | 'absent' | 'not trusted';
}

/** The settings in force, and where each comes from. */
export interface LoadedSettings {
  settings: Settings;
  /** Origin of each setting, and of each item of a list. */
  origins: Readonly<Record<string, Origin>>;
  /** Sentences to show the user, with file, line and column. */
  warnings: string[];
  /** Sentences about servers that are off for want of a variable; they matter where servers do. */
  serverWarnings: string[];
  files: SettingsFile[];
}

/** The settings of all layers. Throws one `SettingsError` that names every mistake. */
export async function loadSettings(options: LoadSettingsOptions): Promise<LoadedSettings> {
  await openStateFolder(options.stateFolder).exists();
  const files: SettingsFile[] = [];
  const read: ReadLayer[] = [];
  for (const source of await sourcesOf(options)) {
    const text = await textOf(source, options.fingerprint);
    const { layer, path, environment, serversOnly } = source;
    const isLeftAlone = !source.trusted && (await isThere(path));
    files.push({ layer, path, state: text !== null ? 'read' : isLeftAlone ? 'not trusted' : 'absent' });
    if (text !== null) read.push(await readLayer({ layer, file: path, text, environment, serversOnly }));
  }
  read.push(...userLayers(options, read));

  const problems = read.flatMap((layer) => layer.problems);
  if (problems.length > 0) throw settingsError(problems);
  const merged = mergeLayers(read.flatMap((layer) => layer.assignments));
  const warnings = [...read.flatMap((layer) => layer.warnings), ...merged.warnings].map(describeProblem);
  const serverWarnings = read.flatMap((layer) => describeUnset(layer.serverWarnings));
  const { settings } = merged;
  settings.includeDirectories = settings.includeDirectories.map((folder) => absolute(folder, options));
  return { settings, origins: merged.origins, warnings, serverWarnings, files };
}

interface LayerSource {
  layer: Layer;
  path: string;
  environment: Environment;
  trusted: boolean;
  /** The flag that named it: it must be there. */
  required?: string;
  serversOnly?: boolean;
  /** The name in the project's fingerprint. */
  name?: string;
}

/** Null when there is none, or when it may not be read. */
async function textOf(
  source: LayerSource,
  fingerprint: LoadSettingsOptions['fingerprint'],
): Promise<string | null> {
  if (!source.trusted) return null;
  const bytes = await bytesOf(source);
  if (bytes === null) {
    // Its rules would be gone without a word.
    const target = (await lookAt(source.path)) === null ? linkAt(source.path) : null;
    if (target !== null)
      throw new SettingsError(
        `${source.path} is a link to ${target}, which is not there. Bring the file back, or remove the link.`,
      );
    if (source.required) throw new SettingsError(`There is no file ${source.path} (${source.required}).`);
    return null;
  }
  if (source.name && fingerprint && fingerprint[source.name] !== sha256(bytes))
    throw changedMeanwhile(source.path);
  return bytes.toString('utf8');
}

/** While a job runs, an empty folder may stand in the place of the project's file of servers, if there is none. */
async function bytesOf({ path, serversOnly, required }: LayerSource): Promise<Buffer | null> {
  if ((await lookAt(path))?.kind !== 'directory') return readSmallFile(path);
  if (serversOnly && !required) return null;
  throw new SettingsError(
    `${path} is a folder, and a file of settings belongs there. Remove the folder, or move it away.`,
  );
}

async function isThere(path: string): Promise<boolean> {
  const found = await lookAt(path);
  return found !== null && found.kind !== 'directory';
}

function changedMeanwhile(path: string): SettingsError {
  return new SettingsError(`${path} changed while Toolwright was starting. Look at it, then start again.`);
}

async function sourcesOf(options: LoadSettingsOptions): Promise<LayerSource[]> {
  const { environment, workspace, trusted } = options;
  const own = (layer: Layer, path: string) => ({ layer, path, environment, trusted: true });
  const sources: LayerSource[] = [
    own('system', options.systemFile ?? systemSettingsFile),
    own('user', join(options.stateFolder, 'settings.json')),
    // Written by /connect, apart from the settings because of its key.
    own('user', join(options.stateFolder, 'connection.json')),
  ];
  const projectEnvironment = trusted ? await environmentOf(options) : {};
  const ofProject = { layer: 'project' as const, environment: projectEnvironment, trusted };
  // In the home directory the project's settings file would be the user's own.
  if (!(await isSame(join(workspace, '.toolwright'), options.stateFolder))) {
    sources.push({ ...ofProject, path: join(workspace, projectSettingsFile), name: projectSettingsFile });
  }
  sources.push({
    ...ofProject,
    path: join(workspace, projectServersFile),
    name: projectServersFile,
    serversOnly: true,
  });
  if (options.settingsFile !== undefined) {
    sources.push({ ...own('file', resolve(options.settingsFile)), required: '--settings' });
  }
  if (options.mcpConfigFile !== undefined) {
    sources.push({
      ...own('file', resolve(options.mcpConfigFile)),
      required: '--mcp-config',
      serversOnly: true,
    });
  }
  return sources;
}

/** A trusted project's `.env` fills in what the environment lacks, for the project's own files only. */
async function environmentOf({
  environment,
  workspace,
  fingerprint,
}: LoadSettingsOptions): Promise<Environment> {
  const path = join(workspace, '.env');
  // A project may have a folder of that name.
  const bytes = (await lookAt(path))?.kind === 'file' ? await readSmallFile(path) : null;
  if (bytes === null) return environment;
  if (fingerprint && fingerprint['.env'] !== sha256(bytes)) throw changedMeanwhile(path);
  return { ...parseDotEnv(bytes.toString('utf8')), ...environment };
}

function userLayers(options: LoadSettingsOptions, files: readonly ReadLayer[]): ReadLayer[] {
  const flags = readFlags(options.flags ?? {});
  const fromFiles = files
    .flatMap(({ assignments }) => assignments)
    .filter(({ origin }) => origin.layer !== 'project');
  const { settings, origins } = mergeLayers([...fromFiles, ...flags.assignments]);
  const addressFile = origins['model.baseUrl']?.file;
  const together = addressFile !== undefined && addressFile === origins['model.apiKey']?.file;
  const environment = readModelEnvironment(options.environment, { ...settings.model, together });
  // The provider comes first: choosing another drops what files say about the old one, not what was just found for the new one.
  const isProvider = ({ path }: Assignment) => path.join('.') === 'model.provider';
  const chosen = { ...flags, assignments: flags.assignments.filter(isProvider) };
  const others = flags.assignments.filter((assignment) => !isProvider(assignment));
  return [chosen, environment, { assignments: others, problems: [], warnings: [], serverWarnings: [] }];
}

async function isSame(left: string, right: string): Promise<boolean> {
  return (await realPathOf(left)) === (await realPathOf(right));
}

function absolute(folder: string, { workspace, environment }: LoadSettingsOptions): string {
  const inHome = folder === '~' || folder.startsWith('~/');
  return inHome ? join(homeDirectory(environment), folder.slice(1)) : resolve(workspace, folder);
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** A permission rule with the place it was written at. */
export interface WrittenRule {
  verdict: 'allow' | 'ask' | 'deny';
  text: string;
  source: string;
  origin: Origin;
}

/** The rules of all layers, in the form the permission layer takes. */
export function permissionRules({
  settings,
  origins,
}: Pick<LoadedSettings, 'settings' | 'origins'>): WrittenRule[] {
  const lists = [
    ['deny', 'permissions.deny', settings.permissions.deny],
    ['ask', 'permissions.ask', settings.permissions.ask],
    ['allow', 'permissions.allow', settings.permissions.allow],
    ['allow', 'tools.allowed', settings.tools.allowed],
  ] as const;
  return lists.flatMap(([verdict, path, rules]) =>
    rules.map((text, index) => {
      const origin = origins[`${path}[${index}]`] ?? { layer: 'default' as const, source: 'default' };
      return { verdict, text, source: origin.source, origin };
    }),
  );
}

/** Values in the settings that must never be shown or logged. */
export function secretsInSettings({ model, web, mcp, mcpServers, tools }: Settings): string[] {
  const servers = Object.values(mcpServers).flatMap(({ oauth, headers, env, args, url, httpUrl }) => [
    oauth?.clientSecret,
    ...secretsInHeaders(headers ?? {}),
    ...secretsInEnvironment(env ?? {}),
    ...secretsInWords(args ?? []),
    ...[url, httpUrl].flatMap((address) => secretsInAddress(address ?? '')),
  ]);
  const commands = [mcp.mcpServerCommand, tools.toolDiscoveryCommand, tools.toolCallCommand];
  const addresses = [model.baseUrl, web.search.baseUrl];
  return [
    model.apiKey,
    web.search.apiKey,
    ...servers,
    ...commands.flatMap((words) =>
      secretsInWords(typeof words === 'string' ? words.split(/\s+/) : (words ?? [])),
    ),
    ...addresses.flatMap((address) => secretsInAddress(address ?? '')),
  ].filter((value): value is string => Boolean(value));
}
