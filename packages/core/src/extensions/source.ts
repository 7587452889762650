import { resolve } from 'node:path';
import { SettingsError } from '@toolwright/machine/base/errors.js';
import { lookAtSync } from '@toolwright/machine/host/state/inspect-files.js';

/** A place that an extension comes from. */
export interface ExtensionSource {
  kind: 'folder' | 'archive' | 'git' | 'npm';
  /** A whole path, an address, or the name of a package with its version. */
  place: string;
  /** A branch or a tag of a git repository. */
  revision?: string;
  /** The folder in it. */
  inside?: string;
  /** The plugin of the list that lies there. */
  plugin?: string;
  /** The commit, or the version of the package, that it came from. */
  found?: string;
}

const ARCHIVE = /\.(?:zip|mcpb|dxt|tar|tgz|tar\.gz)$/i;
const GIT = /^(?:https:\/\/|ssh:\/\/|file:\/\/|git@[\w.-]+:)/;
const PACKAGE = /^(?:@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*(?:@[\w.^~<>=*|-]+)?$/;

/** Understands what the user wrote; throws with what may stand there. */
export function parseSource(
  written: string,
  directory: string,
  { inside, plugin }: Pick<ExtensionSource, 'inside' | 'plugin'> = {},
): ExtensionSource {
  const also = { inside: inside === undefined ? undefined : folderInside(inside), plugin };
  if (written.startsWith('npm:')) {
    const place = written.slice(4);
    if (!PACKAGE.test(place))
      throw new SettingsError(
        `${JSON.stringify(place)} is not the name of a package: npm:name or npm:name@1.2.3`,
      );
    return { kind: 'npm', place, ...also };
  }
  const address = written.replace(/^github:([\w.-]+\/[\w.-]+)/, 'https://github.com/$1');
  if (GIT.test(address)) return { ...gitSource(address), ...also };
  if (/^(?:http|git|ftp|ext)(?:\+\w+)?:/.test(written))
    throw new SettingsError(
      `${written} can't be trusted on its way here, or is not an address of git. Use https://, ssh:// or file://.`,
    );
  const place = resolve(directory, written);
  const found = lookAtSync(place);
  if (found?.kind === 'directory') return { kind: 'folder', place, ...also };
  if (found?.kind === 'file' && ARCHIVE.test(place)) return { kind: 'archive', place, ...also };
  throw new SettingsError(
    found
      ? `${place} is neither a folder nor an archive (.zip, .mcpb, .tar.gz, .tgz, .tar).`
      : `There is no ${place}. An extension comes from a folder, an archive, https://…, ssh://…, github:OWNER/NAME or npm:NAME.`,
  );
}

function gitSource(address: string): ExtensionSource {
  const at = address.indexOf('#');
  const [place, revision] = at === -1 ? [address] : [address.slice(0, at), address.slice(at + 1)];
  if (revision !== undefined && !/^[\w][\w./-]*$/.test(revision))
    throw new SettingsError(`${JSON.stringify(revision)} is not the name of a branch or a tag.`);
  if (ARCHIVE.test(place) && place.startsWith('https:'))
    throw new SettingsError(`${place} is an archive. Download it, then install the file.`);
  if (/^https:\/\/[^/]*@/.test(place))
    throw new SettingsError(
      'The address has a password in it. Let git ask for it, or use its credential helper.',
    );
  return { kind: 'git', place, revision };
}

/** Undefined for all of it. */
function folderInside(path: string): string | undefined {
  const clean = path.replace(/^(?:\.\/+)+|^\.$/, '').replace(/\/+$/, '');
  if (clean.startsWith('/') || clean.split('/').includes('..'))
    throw new SettingsError(`--path ${path} must be a folder inside of what is installed.`);
  return clean === '' ? undefined : clean;
}

/** The source in the words that would install it again. */
export function describeSource({ kind, place, revision, inside, plugin, found }: ExtensionSource): string {
  const what = `${kind === 'npm' ? 'npm:' : ''}${place}${revision === undefined ? '' : `#${revision}`}`;
  const at =
    found === undefined ? '' : ` (${kind === 'git' ? `commit ${found.slice(0, 12)}` : `version ${found}`})`;
  const folder = inside === undefined ? '' : `, folder ${inside}`;
  return `${what}${folder}${plugin === undefined ? '' : `, plugin ${plugin}`}${at}`;
}
