import type { AgentEvent, CreateAgentOptions, ModelClient } from '@toolwright/core';
import type { TelemetrySettings } from '@toolwright/core/front-end';
import { UsageError } from '../base/exit-codes.js';
import type { Arguments } from '../command-line/args.js';
import type { Watcher } from './watcher.js';

/** The watchers of an agent, as one. */
export interface Watching extends Pick<Watcher, 'begin' | 'end'> {
  options: Pick<CreateAgentOptions, 'wrapModel' | 'onEntry'>;
  /** Events reach the front end and those who watch. */
  heard(onEvent: (event: AgentEvent) => void): (event: AgentEvent) => void;
}

/** Loads nothing when nobody watches. */
export async function watchAgent(
  { values, switches }: Arguments,
  settings: { telemetry: TelemetrySettings },
): Promise<Watching> {
  const path = values.get('record');
  if (path === undefined && switches.has('with-tree'))
    throw new UsageError('--with-tree belongs to --record FILE.');
  const watchers: (Watcher | null)[] = [
    path === undefined ? null : (await import('./recording.js')).recordTo(path, switches.has('with-tree')),
    settings.telemetry.enabled ? (await import('./telemetry.js')).sendTelemetry(settings.telemetry) : null,
  ];
  return together(watchers.filter((each) => each !== null));
}

function together(watchers: readonly Watcher[]): Watching {
  const all = async (work: (watcher: Watcher) => Promise<void>): Promise<void> => {
    for (const watcher of watchers) await work(watcher);
  };
  return {
    options:
      watchers.length === 0
        ? {}
        : {
            wrapModel: (client: ModelClient) =>
              watchers.reduce((wrapped, watcher) => watcher.wrapModel(wrapped), client),
            onEntry(entry) {
              for (const watcher of watchers) watcher.onEntry(entry);
            },
          },
    heard: (onEvent) => (event) => {
      for (const watcher of watchers) watcher.onEvent(event);
      onEvent(event);
    },
    begin: (agent) => all((watcher) => watcher.begin(agent)),
    end: () => all((watcher) => watcher.end()),
  };
}
