import { join } from 'node:path';
import { describePieceProblem } from '../pieces/piece.js';
import type { InstalledExtension } from './installed-extensions.js';
import { readExtension } from './read-extension.js';

/** The folder of a project in which extensions lie, one folder each. */
const PROJECT_EXTENSIONS = '.toolwright/extensions';

const MOST = 50;

/** The extensions of a trusted project, where they lie: its trust covers every file of them. Names that are taken are told. */
export async function projectExtensions(
  { folder, fingerprint }: { folder: string; fingerprint: Readonly<Record<string, string>> },
  taken: readonly InstalledExtension[],
): Promise<{ extensions: InstalledExtension[]; problems: string[] }> {
  const extensions: InstalledExtension[] = [];
  const problems: string[] = [];
  for (const name of foldersIn(fingerprint).slice(0, MOST)) {
    const root = join(folder, PROJECT_EXTENSIONS, name);
    const read = await readExtension(root);
    if ('problem' in read) {
      problems.push(`${describePieceProblem(read)} The extension is off.`);
      continue;
    }
    const { extension } = read;
    problems.push(...read.problems.map((problem) => `${describePieceProblem(problem)} It is off.`));
    if ([...taken, ...extensions].some((other) => other.extension.name === extension.name))
      problems.push(
        `The extension in ${PROJECT_EXTENSIONS}/${name} is off: the name ${extension.name} is taken by another one.`,
      );
    else
      extensions.push({
        extension,
        root,
        source: { kind: 'folder', place: root },
        digest: '',
        folder: '',
        isOn: true,
        acceptedAt: 1,
      });
  }
  return { extensions, problems };
}

/** Names of folders that have files; a file beside them is none. */
function foldersIn(fingerprint: Readonly<Record<string, string>>): string[] {
  const prefix = `${PROJECT_EXTENSIONS}/`;
  const inside = Object.keys(fingerprint).filter((path) => path.startsWith(prefix));
  return [...new Set(inside.flatMap((path) => /^([^/]+)\//.exec(path.slice(prefix.length))?.[1] ?? []))];
}
