/** Sources that tell others our version and cannot read it from a package: each holds it once, in this place of the line. */
export const sourcesWithVersion = new Map([
  ['packages/cli/src/acp/connection.ts', /(const VERSION = ')[^']+(')/],
  ['packages/core/src/serve/serve-mcp.ts', /(\{ version = ')[^']+(')/],
  ['packages/mcp/src/session/newer-wire.ts', /(name: 'toolwright', version: ')[^']+(')/],
]);

export function sourceWithVersion(text, pattern, version) {
  if (!pattern.test(text)) throw new Error(`No text fits ${pattern}.`);
  return text.replace(pattern, (_, before, after) => before + version + after);
}

/** A package.json, or the record of one in the lock file, with this version and our other packages at the same. */
export function packageWithVersion(record, version) {
  const changed = { ...record, ...(record.version ? { version } : {}) };
  for (const list of ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'])
    if (record[list])
      changed[list] = Object.fromEntries(
        Object.entries(record[list]).map(([name, given]) => [name, isOurs(name) ? version : given]),
      );
  return changed;
}

export function lockWithVersion(lock, version) {
  const entries = Object.entries(lock.packages).map(([path, record]) =>
    path.startsWith('packages/') && !path.includes('node_modules')
      ? [path, packageWithVersion(record, version)]
      : [path, record],
  );
  return { ...lock, packages: Object.fromEntries(entries) };
}

const isOurs = (name) => name.startsWith('@toolwright/');

/** The changelog with its newest heading made the one of this release. */
export function changelogWithVersion(text, version, date) {
  const [heading] = /^## .*$/m.exec(text) ?? [];
  if (!heading?.endsWith('(unreleased)'))
    throw new Error(
      `The first heading of CHANGELOG.md is "${heading ?? ''}". Put a heading "## ${version} (unreleased)" with what is new above it.`,
    );
  return text.replace(heading, () => `## ${version} (${date})`);
}

/** Lists the problems of a package as it was packed, a sentence each. */
export function problemsOf({ files, manifest }, version) {
  const has = (path) => files.includes(path.replace(/^\.\//, ''));
  const targets = [
    ...Object.values(manifest.bin ?? {}),
    ...Object.values(manifest.exports ?? {}).flatMap((target) =>
      typeof target === 'string' ? [target] : Object.values(target),
    ),
  ].filter((path) => !path.includes('*'));
  const wrong = ['README.md', 'LICENSE', ...targets]
    .filter((path) => !has(path))
    .map((path) => `${path} is missing.`);
  for (const path of files)
    if (/\.test\.|(^|\/)(src|fixtures|node_modules)\//.test(path))
      wrong.push(`${path} does not belong there.`);
  if (manifest.version !== version) wrong.push(`Its version is ${manifest.version}.`);
  for (const list of [manifest.dependencies, manifest.optionalDependencies, manifest.peerDependencies])
    for (const [name, given] of Object.entries(list ?? {}))
      if (isOurs(name) && given !== version) wrong.push(`It wants ${name} ${given}.`);
  return wrong;
}
