import { ToolError } from '@toolwright/machine/base/errors.js';
import { isInside } from '@toolwright/machine/host/workspace.js';

/** Holds extensions to what the user accepted. */
export interface ExtensionDigests {
  /** Throws when the extension around a path is another one by now; each is looked at once. Other paths pass. */
  requireAccepted(path: string, signal: AbortSignal): Promise<void>;
  /** True for a path in an extension that is held to a digest. */
  isHeld(path: string): boolean;
}

/** Refuses files of extensions that are no longer what the user agreed to. */
export function openDigests(accepted: Readonly<Record<string, string>>): ExtensionDigests {
  const looked = new Map<string, Promise<boolean>>();
  const rootOf = (path: string): string | undefined =>
    Object.keys(accepted).find((folder) => isInside(path, folder));
  return {
    isHeld: (path) => rootOf(path) !== undefined,
    async requireAccepted(path, signal) {
      const root = rootOf(path);
      if (root === undefined) return;
      const same = looked.get(root) ?? isSame(root, accepted[root]!, signal);
      looked.set(root, same);
      if (!(await same)) throw new ToolError('denied', changedExtension(nameOf(root)));
    },
  };
}

async function isSame(root: string, digest: string, signal: AbortSignal): Promise<boolean> {
  const { readTree } = await import('@toolwright/machine/host/trees/read-tree.js');
  const { digestOfTree } = await import('@toolwright/machine/host/trees/tree-digest.js');
  try {
    return digestOfTree((await readTree(root, signal)).files) === digest;
  } catch {
    return false;
  }
}

/** The folder of an extension lies in one with its name. */
function nameOf(root: string): string {
  return root.split('/').at(-2) ?? root;
}

export function changedExtension(name: string): string {
  return `The extension ${name} is not what was accepted: files in its folder changed, so none of it is used. To fetch it again: toolwright extensions update ${name}`;
}
