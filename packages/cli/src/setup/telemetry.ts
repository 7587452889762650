import { openTelemetry, type TelemetrySettings, telemetryConfiguration } from '@toolwright/core/front-end';
import { programVersion } from './program-version.js';
import type { Watcher } from './watcher.js';

/** Sends telemetry as settings and environment say; null where the environment turns it off. */
export function sendTelemetry(settings: TelemetrySettings): Watcher | null {
  const environment = process.env;
  const configuration = telemetryConfiguration(settings, environment);
  if (!configuration) return null;
  const telemetry = openTelemetry({ configuration, environment, version: programVersion() });
  return { ...telemetry, begin: async (agent) => telemetry.begin(agent) };
}
