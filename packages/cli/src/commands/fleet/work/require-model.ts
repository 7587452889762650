import { type Agent, ModelError, SettingsError } from '@toolwright/core';
import { modelInReach } from '@toolwright/core/front-end';
import type { Arguments } from '../../../command-line/args.js';
import { modelSettings, readSetup, type Setup } from '../../../setup/runtime.js';

/** One worker that reaches no model would end every task of the queue with an answer of the offline model. */
export async function requireModel(args: Arguments): Promise<void> {
  const { loaded, stateFolder } = await readSetup(args);
  if (isOfflineWanted({ loaded })) return;
  const choice = await modelInReach({ model: modelSettings(loaded), stateFolder }).catch((error: unknown) => {
    throw error instanceof ModelError ? new SettingsError(`${NO_MODEL}: ${error.message}`) : error;
  });
  if (choice?.provider === 'offline')
    throw new SettingsError(
      `${NO_MODEL}: ${choice.reason} Set a key or --base-url; to try things out without a model, say --provider offline.`,
    );
}

const NO_MODEL = 'No task can be worked on here';

/** A model server of this machine may be gone by the time a task begins; it may come back. */
export async function requireSameModel(
  { choice, close }: Agent,
  setup: Pick<Setup, 'loaded'>,
): Promise<void> {
  if (choice?.provider !== 'offline' || isOfflineWanted(setup)) return;
  await close();
  throw new ModelError('network', choice.reason);
}

function isOfflineWanted({ loaded }: Pick<Setup, 'loaded'>): boolean {
  return loaded.settings.model.provider === 'offline';
}
