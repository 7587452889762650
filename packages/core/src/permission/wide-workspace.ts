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
        `${foreignText(root)} ${what}: it holds keys, passwords and files that programs run by themselves. You are asked each time before a key or password is read, or such a file is changed. To avoid that, start in the folder of a project.`,
      ];
    }
    const secret = secretAt(root, home);
    if (secret === null) return [];
    return [
      `${foreignText(root)} is where ${secret.why} are kept, and all of it may be read without a question. Start in another folder unless you want that.`,
    ];
  });
}
