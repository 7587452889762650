import { webAddress } from './server-keys.js';
import type { Key } from './setting-kinds.js';

/** The settings of telemetry. A project may not turn it on: it would send what others do to a place of its choice. */
export const telemetryKey = {
  kind: {
    type: 'group',
    keys: {
      enabled: {
        kind: { type: 'boolean' },
        description: 'Tell an OpenTelemetry collector what sessions do: times and counts, not what was said.',
        default: false,
      },
      endpoint: {
        kind: { type: 'string', pattern: webAddress },
        description: 'Address of the collector; the variables `OTEL_EXPORTER_OTLP_*` take precedence.',
      },
      content: {
        kind: { type: 'boolean' },
        description:
          'Also send what was said: prompts, answers, arguments and results, without known secrets.',
        default: false,
      },
    },
  },
  description: 'Telemetry: off unless it is enabled here (docs/telemetry.md).',
  default: {},
} as const satisfies Key;
