import { openState, type State } from '@toolwright/core';
import { createClock, createIds, stateFolderPath } from '@toolwright/core/front-end';

/** The state folder, for commands that need nothing else. */
export function openExtensionState(): State {
  return openState({ path: stateFolderPath(process.env), host: { clock: createClock(), ids: createIds() } });
}
