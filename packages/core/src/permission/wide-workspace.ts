import { secretAt } from '@toolwright/machine/base/places/places.js';
import { foreignText } from '@toolwright/machine/base/sentences/foreign-text.js';
import { afterLinks, isInside } from '@toolwright/machine/host/workspace.js';

/** Warnings for a workspace that holds secrets, one sentence for each such folder. */
export function remarksOnWorkspace(folders: readonly string[], givenHome: string | undefined): string[] {
  if (givenHome === undefined) return [];
  const home = afterLinks(givenHome);
  return folders.map(afterLinks).flatMap((root) => {
    if (isInside(home, root)) {
      const what = root === home ? 'is your home folder' : 'holds your home folder';
      return [
        `${foreignText(root)} ${what}: keys, passwords and files that programs run by themselves lie in it. Reading the former and changing the latter is asked about every time. Start in the folder of a project to work without that.`,
      ];
    }
    const secret = secretAt(root, home);
    if (secret === null) return [];
    return [
      `${foreignText(root)} lies where ${secret.why} are kept: whoever works there may read all of it unasked. Start in another folder unless you want that.`,
    ];
  });
}
