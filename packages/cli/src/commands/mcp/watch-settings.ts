import { join } from 'node:path';
import type { Toolbox } from '@toolwright/core';
import { messageOf, stampOfAll } from '@toolwright/core/front-end';
import type { Arguments } from '../../command-line/args.js';
import { liveOptions, readSetup, type Setup } from '../../setup/runtime.js';

export interface WatchSettingsNeeds {
  args: Arguments;
  toolbox: Pick<Toolbox, 'adopt' | 'host'>;
  /** Shows a message to the user. */
  say(message: string): void;
  /** Ends the watching. */
  signal: AbortSignal;
}

const INTERVAL_MS = 2_000;

/** Puts changed settings in force while the server runs. What can't be used changes nothing, and is said once. */
export async function watchSettings(atFirst: Setup, needs: WatchSettingsNeeds): Promise<void> {
  const { clock } = needs.toolbox.host;
  let setup = atFirst;
  let stamp = stampOf(setup);
  while (!needs.signal.aborted) {
    await clock.sleep(INTERVAL_MS, needs.signal).catch(() => undefined);
    const now = stampOf(setup);
    if (needs.signal.aborted || now === stamp) continue;
    stamp = now;
    setup = await follow(setup, needs);
  }
}

/** Every file that settings and trust are read from, whether or not it exists. */
function stampOf({ loaded, workspace, stateFolder }: Setup): string {
  const files = loaded.files.map(({ path }) => path);
  return stampOfAll([...files, join(workspace, '.env'), join(stateFolder, 'trust.json')]);
}

/** The settings that hold from now on: the new ones, or those from before. */
async function follow(setup: Setup, { args, toolbox, say }: WatchSettingsNeeds): Promise<Setup> {
  try {
    const next = await readSetup(args);
    if (setup.trusted && !next.trusted && next.trust.state === 'changed') {
      say(
        'The earlier settings stay in force: this folder changed since you trusted it. Look at it, then: toolwright trust',
      );
      return setup;
    }
    const isLive = JSON.stringify(liveOptions(next, args)) !== JSON.stringify(liveOptions(setup, args));
    const remarks = isLive ? await toolbox.adopt(liveOptions(next, args)) : [];
    const warnings = next.warnings.filter((warning) => !setup.warnings.includes(warning));
    if (isLive) say('The settings changed and are in effect now.');
    for (const sentence of [...warnings, ...remarks, ...waitingFor(setup, next)]) say(sentence);
    return next;
  } catch (error) {
    say(`The settings changed and can't be used, so the earlier ones stay in force. ${messageOf(error)}`);
    return setup;
  }
}

/** Settings that the parts of a server are built with. */
const withNextStart = [
  'sandbox',
  'includeDirectories',
  'ignore',
  'permissions.ignoredFiles',
  'tools.toolDiscoveryCommand',
  'tools.toolCallCommand',
  'context.fileName',
  'web.search',
];

function waitingFor(before: Setup, after: Setup): string[] {
  const settings = withNextStart.filter((path) => valueAt(before, path) !== valueAt(after, path));
  const changed =
    before.trusted === after.trusted ? settings : ['whether this folder is trusted', ...settings];
  return changed.length === 0
    ? []
    : [`This takes effect when the server is started again: ${changed.join(', ')}.`];
}

function valueAt({ loaded }: Setup, path: string): string | undefined {
  const value = path
    .split('.')
    .reduce<unknown>((group, key) => (group as Record<string, unknown>)[key], loaded.settings);
  return JSON.stringify(value);
}
