import type { State } from '@toolwright/core';
import {
  describeSource,
  formatNames,
  type InstalledExtension,
  lookAtInstalled,
  plural,
} from '@toolwright/core/front-end';

/** An extension that is installed; `isChanged` when its files are not those that were accepted. */
export interface FoundExtension extends InstalledExtension {
  isChanged: boolean;
}

export async function findExtensions(
  all: readonly InstalledExtension[],
  state: State,
  signal: AbortSignal,
): Promise<FoundExtension[]> {
  return Promise.all(
    all.map(async (entry) => ({
      ...entry,
      // The trust of a project tells of changes in its own.
      isChanged:
        entry.root === undefined &&
        (await lookAtInstalled(entry, state, signal).then(
          ({ isChanged }) => isChanged,
          () => true,
        )),
    })),
  );
}

export function describeExtensions(all: readonly FoundExtension[]): string {
  if (all.length === 0)
    return 'No extension is installed. toolwright extensions install SOURCE shows one and installs it.';
  return [`${plural(all.length, 'extension')}.`, ...all.map((entry) => `  ${describeOne(entry)}`)].join('\n');
}

function stateOf({ extension, root, isOn, isChanged, acceptedAt }: FoundExtension): string {
  if (root !== undefined) return 'on, of this project';
  if (isChanged) return 'changed on disk, not used';
  if (acceptedAt === 0) return `off; toolwright extensions enable ${extension.name} shows its page`;
  return isOn ? 'on' : 'off';
}

function describeOne(found: FoundExtension): string {
  const { extension, source } = found;
  const state = stateOf(found);
  const title = [extension.name, extension.version].filter(Boolean).join(' ');
  return `${title} (${state}), ${formatNames[extension.format]}, from ${describeSource(source)}`;
}
