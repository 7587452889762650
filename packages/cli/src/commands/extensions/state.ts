import { createClock, createIds, openState, type State, stateFolderPath } from '@toolwright/core';

/** The state folder, for commands that need nothing else. */
export function openExtensionState(): State {
  return openState({ path: stateFolderPath(process.env), host: { clock: createClock(), ids: createIds() } });
}
