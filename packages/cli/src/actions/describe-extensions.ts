import {
  describeSource,
  formatNames,
  type InstalledExtension,
  installedExtensions,
  lookAtInstalled,
  plural,
  type State,
} from '@toolwright/core';

/** An extension that is installed; `isChanged` when its files are not those that were accepted. */
export interface FoundExtension extends InstalledExtension {
  isChanged: boolean;
}

export async function findExtensions(state: State, signal: AbortSignal): Promise<FoundExtension[]> {
  const all = await installedExtensions(state);
  return Promise.all(
    all.map(async (entry) => ({
      ...entry,
      isChanged: await lookAtInstalled(entry, state, signal).then(
        ({ isChanged }) => isChanged,
        () => true,
      ),
    })),
  );
}

export function describeExtensions(all: readonly FoundExtension[]): string {
  if (all.length === 0)
    return 'No extension is installed. toolwright extensions install SOURCE shows one and installs it.';
  return [`${plural(all.length, 'extension')}.`, ...all.map((entry) => `  ${describeOne(entry)}`)].join('\n');
}

function describeOne({ extension, source, isOn, isChanged }: FoundExtension): string {
  const state = isChanged ? 'changed on disk, not used' : isOn ? 'on' : 'off';
  const title = [extension.name, extension.version].filter(Boolean).join(' ');
  return `${title} (${state}), ${formatNames[extension.format]}, from ${describeSource(source)}`;
}
