import { readOnlyGit } from './read-only.js';

/**
 * Settings of a repository that make git start programs or look elsewhere, even while it only reads. The user's own
 * configuration is theirs; that of a repository came with it.
 */
const dangerous: readonly RegExp[] = [
  /^(include|includeif)\./,
  /^core\.(fsmonitor|sshcommand|pager|editor|hookspath|gitproxy|worktree|attributesfile|askpass|alternaterefscommand)$/,
  /^diff\.(external|.*\.(command|textconv))$/,
  /^hook\./,
  /^filter\..*\.(clean|smudge|process)$/,
  // A merge is made again to show what was resolved by hand.
  /^merge\..*\.driver$/,
  /^(gpg|gpg\..*)\.(program|defaultkeycommand)$/,
  /^gpg\.program$/,
  /^pager\./,
  /^(interactive\.difffilter|credential\.helper|credential\..*\.helper|extensions\.worktreeconfig|extensions\.partialclone|extensions\.refstorage)$/,
  /^(log|format)\.(showsignature)$/,
  // Merging again writes objects.
  /^log\.diffmerges$/,
  /^uploadpack\.packobjectshook$/,
];

/** Files of which git may print a line; those at the top of the work tree are part of it. */
const namesFile =
  /^(blame\.ignorerevsfile|core\.excludesfile|diff\.orderfile|mailmap\.file)=(?!"?[\w.-]+"?$)/;

/** Formats and orders for which a program checks signatures. */
const checksSignatures = /^((format\.pretty|pretty\..*)=.*%[-+ ]?G|(branch|tag)\.sort=.*signature)/;

/** Harmless spellings of settings that are dangerous otherwise. */
const switchedOff = /^(core\.fsmonitor|log\.showsignature)=(false|no|off|0)$/;

/** The keys in the text of a configuration file that should keep git from running unasked. */
export function dangerousGitKeys(text: string): string[] {
  // In a value it goes on, in a comment it does not: where a line goes on, nothing below is certain.
  if (/\\\r?(\n|$)/.test(text)) return ['a line that continues on the next'];
  const found: string[] = [];
  let section = '';
  for (const line of text.split(/\r?\n/)) {
    let rest = line.trim();
    while (rest.startsWith('[')) {
      const header = /^\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]/.exec(rest);
      if (!header) return [...found, 'a section that could not be read'];
      section = header[1]!.toLowerCase() + (header[2] === undefined ? '' : `.${header[2]}`);
      rest = rest.slice(header[0].length).trim();
    }
    const [, key, value = 'true'] = /^([A-Za-z][\w-]*)\s*(?:=\s*(.*)|[#;].*)?$/.exec(rest) ?? [];
    if (key === undefined) continue;
    const name = `${section}.${key.toLowerCase()}`;
    const folded = name.toLowerCase();
    const setting = `${folded}=${value.trim().toLowerCase()}`;
    if (switchedOff.test(setting)) continue;
    const isDangerous =
      dangerous.some((pattern) => pattern.test(folded)) ||
      namesFile.test(setting) ||
      checksSignatures.test(`${folded}=${value.replaceAll('"', '')}`) ||
      isTakenAlias(folded);
    if (isDangerous) found.push(name);
  }
  return found;
}

/** A sub-command that this git does not know, or not any more, may be an alias. */
function isTakenAlias(key: string): boolean {
  const [, alias] = /^alias\.([a-z-]+)(?:\.command)?$/.exec(key) ?? [];
  return alias !== undefined && Object.hasOwn(readOnlyGit, alias);
}
