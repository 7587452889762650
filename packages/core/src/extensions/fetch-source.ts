import { basename, join } from 'node:path';
import type { TreeFile } from '@toolwright/machine/base/archives/archive.js';
import { SettingsError } from '@toolwright/machine/base/errors.js';
import { terminalSafe } from '@toolwright/machine/base/terminal-safe.js';
import { removeTree } from '@toolwright/machine/host/leases/owned-folder.js';
import type { Processes } from '@toolwright/machine/host/processes/processes.js';
import { lookAtSync, namesIn } from '@toolwright/machine/host/state/inspect-files.js';
import { readSmallFile } from '@toolwright/machine/host/state/read-file.js';
import { type Environment, makeFolder } from '@toolwright/machine/host/state/state-folder.js';
import { readTree } from '@toolwright/machine/host/trees/read-tree.js';
import { wholeText } from '../tools/programs/printed.js';
import type { ExtensionSource } from './source.js';

export interface FetchNeeds {
  processes: Pick<Processes, 'run'>;
  environment: Environment;
  /** A folder for what is fetched, which does not exist yet; removed again. */
  scratch: string;
}

/** Files of an extension, where they were found, and what was left out. */
export interface FetchedFiles {
  source: ExtensionSource;
  files: TreeFile[];
  leftOut: string[];
}

const LIMIT_MS = 5 * 60_000;
const LARGEST_ARCHIVE = 128 * 1024 * 1024;

/** Brings the files of an extension into memory. Nothing of it runs. */
export async function fetchSource(
  source: ExtensionSource,
  needs: FetchNeeds,
  signal: AbortSignal,
): Promise<FetchedFiles> {
  try {
    const fetched = await fetchers[source.kind](source, needs, signal);
    const part = source.inside === undefined ? fetched : { ...fetched, ...insideOf(fetched, source.inside) };
    if (source.plugin === undefined) return part;
    const { pluginFiles } = await import('./market.js');
    return { ...part, files: await pluginFiles(part.files, source.plugin) };
  } finally {
    await removeTree(needs.scratch);
  }
}

type Fetch = (source: ExtensionSource, needs: FetchNeeds, signal: AbortSignal) => Promise<FetchedFiles>;

const fetchers: Record<ExtensionSource['kind'], Fetch> = {
  folder: async (source, _needs, signal) => ({ source, ...(await readTree(source.place, signal)) }),
  archive: async (source) => ({ source, files: await unpack(source.place), leftOut: [] }),
  git: cloneRepository,
  npm: packPackage,
};

function insideOf({ files, leftOut }: FetchedFiles, inside: string): Pick<FetchedFiles, 'files' | 'leftOut'> {
  const start = `${inside}/`;
  const kept = files
    .filter(({ path }) => path.startsWith(start))
    .map((file) => ({ ...file, path: file.path.slice(start.length) }));
  if (kept.length === 0) throw new SettingsError(`There is no folder ${inside} in it.`);
  return { files: kept, leftOut: leftOut.filter((path) => path.startsWith(start)) };
}

async function unpack(path: string): Promise<TreeFile[]> {
  const { size = 0 } = lookAtSync(path) ?? {};
  const bytes = size > LARGEST_ARCHIVE ? null : await readSmallFile(path, LARGEST_ARCHIVE);
  if (bytes === null)
    throw new SettingsError(
      `${path} was not unpacked: it is larger than ${LARGEST_ARCHIVE / 2 ** 20} MB, or gone.`,
    );
  const isZip = bytes[0] === 0x50 && bytes[1] === 0x4b;
  const files = isZip
    ? (await import('@toolwright/machine/base/archives/read-zip.js')).readZip(bytes, path)
    : (await import('@toolwright/machine/base/archives/read-tar.js')).readTar(bytes, path);
  return withoutOuterFolder(files);
}

/** Archives are often made of a folder, and packages always. */
function withoutOuterFolder(files: readonly TreeFile[]): TreeFile[] {
  const [first = ''] = files[0]?.path.split('/') ?? [];
  const isAround = files.length > 0 && files.every(({ path }) => path.startsWith(`${first}/`));
  const isFormat = ['skills', '.claude-plugin'].includes(first);
  return isAround && !isFormat
    ? files.map((file) => ({ ...file, path: file.path.slice(first.length + 1) }))
    : [...files];
}

/** Clones without running anything that a repository could name; no submodule is fetched, and nobody is asked for a password. */
async function cloneRepository(
  source: ExtensionSource,
  needs: FetchNeeds,
  signal: AbortSignal,
): Promise<FetchedFiles> {
  const { place, revision } = source;
  const settings = [
    'core.hooksPath=/dev/null',
    'core.fsmonitor=false',
    'protocol.ext.allow=never',
    'submodule.recurse=false',
  ];
  const environment = {
    GIT_ALLOW_PROTOCOL: 'https:ssh:file',
    GIT_TERMINAL_PROMPT: '0',
    GIT_LFS_SKIP_SMUDGE: '1',
    GIT_ASKPASS: '/bin/false',
    SSH_ASKPASS: '/bin/false',
  };
  const settingWords = settings.flatMap((setting) => ['-c', setting]);
  const clone = [
    'clone',
    '--quiet',
    '--depth=1',
    '--single-branch',
    '--no-tags',
    '--no-recurse-submodules',
    '--template=',
  ];
  const branch = revision === undefined ? [] : ['--branch', revision];
  await run(
    ['git', ...settingWords, ...clone, ...branch, '--', place, needs.scratch],
    { ...needs, more: environment },
    signal,
  );
  const commit = await run(
    ['git', ...settingWords, '-C', needs.scratch, 'rev-parse', 'HEAD'],
    { ...needs, more: environment },
    signal,
  );
  const tree = await readTree(needs.scratch, signal);
  return { source: { ...source, found: commit.trim() }, ...tree };
}

/** Packages come as they were published; their scripts never run. */
async function packPackage(
  source: ExtensionSource,
  needs: FetchNeeds,
  signal: AbortSignal,
): Promise<FetchedFiles> {
  await makeFolder(needs.scratch);
  const words = [
    'npm',
    'pack',
    '--ignore-scripts',
    '--silent',
    '--pack-destination',
    needs.scratch,
    '--',
    source.place,
  ];
  await run(words, { ...needs, more: { npm_config_ignore_scripts: 'true' } }, signal);
  const [archive] = (await namesIn(needs.scratch)).filter((name) => name.endsWith('.tgz'));
  if (archive === undefined) throw new SettingsError(`npm gave no package for ${source.place}.`);
  const files = await unpack(join(needs.scratch, archive));
  const found = versionIn(files) ?? basename(archive, '.tgz');
  return { source: { ...source, found }, files, leftOut: [] };
}

function versionIn(files: readonly TreeFile[]): string | undefined {
  const bytes = files.find(({ path }) => path === 'package.json')?.bytes;
  try {
    const { version } = JSON.parse(new TextDecoder().decode(bytes)) as { version?: unknown };
    return typeof version === 'string' ? version : undefined;
  } catch {
    return undefined;
  }
}

async function run(
  [program = '', ...args]: readonly string[],
  { processes, environment, more }: FetchNeeds & { more: Record<string, string> },
  signal: AbortSignal,
): Promise<string> {
  const own = Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  const { exitCode, stdout, stderr, stopped } = await processes.run(
    { program, args, directory: '/', environment: { ...own, ...more } },
    { signal, timeoutMs: LIMIT_MS },
  );
  signal.throwIfAborted();
  if (exitCode === 0) return wholeText(stdout);
  const said = terminalSafe(wholeText(stderr)).trim().split('\n').slice(-3).join(' ');
  const why =
    stopped?.kind === 'timeout' ? 'it took more than five minutes' : said || `exit code ${exitCode}`;
  throw new SettingsError(`${program} could not fetch it: ${why}`);
}
