import { dirname, join, resolve } from 'node:path';
import { namesIn } from '../state/inspect-files.js';
import { add, type CodeSearch, isFile, isFolder, isInRoots, type Start, sourceOf } from './code-search.js';

/**
 * Adds a virtual Python environment whose program runs. Packages installed as links to their sources lead out of it:
 * their folders become module folders.
 */
export async function enterEnvironment(search: CodeSearch, environment: string, at: Start): Promise<Start> {
  if (!isInRoots(search, environment) || !(await isFile(join(environment, 'pyvenv.cfg')))) return at;
  await add(search, environment);
  const places: string[] = [];
  for (const python of await namesIn(join(environment, 'lib')))
    places.push(...(await linkedSources(search, join(environment, 'lib', python, 'site-packages'))));
  for (const place of places)
    for (const name of ['sitecustomize', 'usercustomize'])
      for (const path of [join(place, `${name}.py`), join(place, name)]) await add(search, path);
  const before = at.environment['PYTHONPATH'];
  const all = [...(before === undefined ? [] : [before]), ...places].join(':');
  return all === '' ? at : { ...at, environment: { ...at.environment, PYTHONPATH: all } };
}

/** Folders named by `*.pth` files, and folders of packages that a setuptools finder maps. */
async function linkedSources(search: CodeSearch, packages: string): Promise<string[]> {
  const places = new Set<string>();
  for (const name of await namesIn(packages)) {
    const isFinder = /^__editable__.*_finder\.py$/.test(name);
    if (!name.endsWith('.pth') && !isFinder) continue;
    const source = (await sourceOf(join(packages, name))) ?? '';
    const written = isFinder
      ? [...source.matchAll(/['"](\/[^'"\n]+)['"]/g)].map((match) => dirname(match[1] as string))
      : source.split(/\r?\n/).filter((line) => line !== '' && !/^(#|import\s)/.test(line));
    for (const each of written) {
      const place = resolve(packages, each);
      if (isInRoots(search, place) && (await isFolder(place))) places.add(place);
    }
  }
  return [...places];
}
