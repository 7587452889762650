import { serverName } from './server-keys.js';
import type { Keys } from './setting-kinds.js';

const fileEnding = { source: '^\\.[A-Za-z0-9_+-]{1,20}$', says: 'the ending of a file such as .lua' };

export const languageKeys = {
  enabled: {
    kind: { type: 'boolean' },
    description:
      'Whether language servers of the machine, or of a trusted folder, are started to tell the model which errors its changes bring.',
    default: true,
  },
  servers: {
    kind: {
      type: 'map',
      of: {
        type: 'group',
        keys: {
          command: {
            kind: { type: 'command' },
            description: 'Program and arguments; it speaks the protocol on its standard input and output.',
            default: [],
          },
          extensions: {
            kind: { type: 'list', item: fileEnding },
            description: 'Endings of the files that it is for.',
            default: [],
          },
          settings: {
            kind: { type: 'object' },
            description:
              'Its own settings, as its manual names them: what it gets when it asks for its configuration.',
          },
          initializationOptions: {
            kind: { type: 'object' },
            description: 'Its initialization options, where its manual names some.',
          },
        },
      },
      names: serverName,
    },
    description: 'Language servers beside those that are known, or in their place, by name.',
    default: {},
    project: 'add',
  },
  format: {
    kind: { type: 'boolean' },
    description:
      'Whether files that the model edits or writes are formatted by the formatter of the project (biome, prettier, ruff, gofmt), as part of the same change; in trusted folders alone.',
    default: false,
    project: 'set',
  },
  wait: {
    kind: { type: 'integer', minimum: 0, maximum: 60_000 },
    description:
      'Longest time in milliseconds that the response to a change waits for the errors it brings; later ones are told with the next response.',
    default: 500,
  },
} as const satisfies Keys;
