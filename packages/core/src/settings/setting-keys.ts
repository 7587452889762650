import { languageKeys } from './language-keys.js';
import { permissionKeys } from './permission-keys.js';
import { serverKeys, serverName, transportProblem, webAddress } from './server-keys.js';
import type { GroupValue, Keys } from './setting-kinds.js';
import { telemetryKey } from './telemetry-keys.js';

const fileName = { source: '^[^/\\\\\\u0000]+$', says: 'a file name without folders' };
const variableName = {
  source: '^[A-Za-z_][A-Za-z0-9_]*\\*?$',
  says: 'the name of a variable, or NAME* for a prefix',
};
const hostName = {
  source: '^(\\*\\.)?[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:[0-9]{1,5})?$',
  says: 'a host such as example.org, *.example.org or example.org:8443',
};

const memoryAmount = {
  source: '^([1-9][0-9]*(\\.[0-9]+)? ?([kKmMgGtT]([iI]?[bB])?|%)|none)$',
  says: 'an amount of memory such as "4g", "512m" or "50%", or "none"',
};

/** Every setting, once. `settings.schema.json` and the table in `docs/settings.md` are made from this. */
export const settingKeys = {
  approvalMode: {
    kind: { type: 'choice', values: ['plan', 'default', 'auto-edit', 'yolo'] },
    description:
      'What happens without a rule: look only, ask before changes, change files in the workspace, or never ask.',
    default: 'default',
    project: 'stricter',
    flag: '--approval-mode',
  },
  permissions: {
    kind: { type: 'group', keys: permissionKeys },
    description:
      'Rules: `Shell(words)`, `Read(path)`, `Edit(path)`, `Fetch(host)`, `Mcp(server/tool)`, `Outside(read path)` or the name of a tool. Deny beats ask beats allow.',
    default: {},
  },
  tools: {
    kind: {
      type: 'group',
      keys: {
        toolDiscoveryCommand: {
          kind: { type: 'command' },
          description: 'Prints function declarations of more tools as JSON.',
          spellings: ['tools.discoveryCommand', 'toolDiscoveryCommand'],
          project: 'set',
        },
        toolCallCommand: {
          kind: { type: 'command' },
          description:
            'Calls a discovered tool: its name as the last argument, the arguments as JSON on standard input.',
          spellings: ['tools.callCommand', 'toolCallCommand'],
          project: 'set',
        },
        exclude: {
          kind: { type: 'list' },
          description: 'Tools that are not offered to the model.',
          default: [],
          joined: true,
          literal: true,
          project: 'add',
          flag: '--exclude-tools',
        },
        script: {
          kind: { type: 'boolean' },
          description:
            'Whether the model may write scripts that call the other tools, for work that would take many calls.',
          default: false,
          project: 'set',
        },
        allowed: {
          kind: { type: 'rules' },
          description: 'The same as `permissions.allow`.',
          default: [],
          joined: true,
          literal: true,
          flag: '--allowed-tools',
        },
      },
    },
    description: 'Which tools there are.',
    default: {},
  },
  languages: {
    kind: { type: 'group', keys: languageKeys },
    description: 'Language servers.',
    default: {},
  },
  mcpServers: {
    kind: {
      type: 'map',
      of: { type: 'group', keys: serverKeys, problem: transportProblem },
      names: serverName,
    },
    description: 'MCP servers by the name their tools are prefixed with.',
    default: {},
    project: 'add',
  },
  mcp: {
    kind: {
      type: 'group',
      keys: {
        mcpServerCommand: {
          kind: { type: 'command' },
          description: 'Starts one MCP server, named `mcp`.',
          spellings: ['mcp.serverCommand', 'mcpServerCommand'],
          project: 'set',
        },
      },
    },
    description: 'Short form for a single MCP server.',
    default: {},
  },
  model: {
    kind: {
      type: 'group',
      keys: {
        provider: {
          kind: { type: 'choice', values: ['openai', 'openai-responses', 'anthropic', 'gemini', 'offline'] },
          description: 'Wire format of the model; `openai` for every compatible host.',
          flag: '--provider',
          resets: ['model.name', 'model.baseUrl', 'model.apiKey', 'model.contextWindow'],
        },
        name: { kind: { type: 'string' }, description: 'Name of the model.', flag: '--model' },
        baseUrl: {
          kind: { type: 'string', pattern: webAddress },
          description: 'Address of the API.',
          flag: '--base-url',
        },
        apiKey: {
          kind: { type: 'string' },
          description: 'Key for the API; best given as `$VARIABLE`.',
          secret: true,
        },
        effort: {
          kind: { type: 'choice', values: ['low', 'medium', 'high'] },
          description: 'How long the model may think before it answers; its own choice unless set.',
          flag: '--effort',
        },
        temperature: {
          kind: { type: 'number', minimum: 0, maximum: 2 },
          description: 'How random answers are; left to the server unless set.',
          flag: '--temperature',
        },
        fallback: {
          kind: { type: 'list' },
          description:
            'Models to ask, in this order, when the first is busy, unavailable or unknown: a name of the same account, or `anthropic:NAME`.',
          flag: '--fallback-model',
        },
        maxTurns: {
          kind: { type: 'integer', minimum: 1, maximum: 10_000 },
          description: 'Maximum number of model answers for one prompt; no limit unless set.',
          project: 'stricter',
          flag: '--max-turns',
        },
        contextWindow: {
          kind: { type: 'integer', minimum: 1_000, maximum: 100_000_000 },
          description: 'Tokens the model takes, where it is not known.',
        },
        silenceLimit: {
          kind: { type: 'integer', minimum: 1, maximum: 3_600 },
          description: 'Seconds without a word after which a request is given up; 300 unless set.',
        },
      },
    },
    description: 'Which model answers.',
    default: {},
  },
  context: {
    kind: {
      type: 'group',
      keys: {
        fileName: {
          kind: { type: 'list', item: fileName },
          description: 'Names of context files. A project adds to them.',
          default: ['AGENTS.md'],
          project: 'add',
        },
        importDepth: {
          kind: { type: 'integer', minimum: 0, maximum: 20 },
          description: 'How deep `@path` imports in context files may nest.',
          default: 5,
          project: 'stricter',
        },
      },
    },
    description: 'Context files.',
    default: {},
  },
  ignore: {
    kind: {
      type: 'group',
      keys: {
        files: {
          kind: { type: 'list', item: fileName },
          description:
            'More files with ignore rules for searches, beside `.gitignore` and `.toolwrightignore`; only the latter also keeps tools from reading what it names.',
          default: [],
          joined: true,
          project: 'add',
        },
      },
    },
    description: 'What searches and listings leave out.',
    default: {},
  },
  sandbox: {
    kind: {
      type: 'group',
      keys: {
        mode: {
          kind: { type: 'choice', values: ['required', 'auto', 'off'] },
          description: 'Confine commands: or fail, where possible, or not at all.',
          default: 'auto',
          project: 'stricter',
          flag: '--sandbox',
        },
        environment: {
          kind: { type: 'list', item: variableName },
          description: 'Variables that commands may see besides the usual ones; `NAME*` for a prefix.',
          default: [],
          joined: true,
          literal: true,
        },
        memory: {
          kind: { type: 'string', pattern: memoryAmount },
          description:
            'The most memory that a command, job, server or tool program may use with all it starts: `4g`, `512m`, a share of the machine such as `50%`, or `none`. Above that, everything it started is ended.',
          default: '50%',
          literal: true,
        },
        networkHosts: {
          kind: { type: 'list', item: hostName },
          description: 'Hosts that commands with network may reach.',
          default: [],
          joined: true,
        },
      },
    },
    description: 'How commands are confined.',
    default: {},
  },
  web: {
    kind: {
      type: 'group',
      keys: {
        search: {
          kind: {
            type: 'group',
            keys: {
              provider: {
                kind: {
                  type: 'choice',
                  values: ['tavily', 'brave', 'google', 'searxng', 'dashscope', 'gemini'],
                },
                description: 'The search provider. Without it there is no `web_search`.',
                resets: [
                  'web.search.apiKey',
                  'web.search.engineId',
                  'web.search.baseUrl',
                  'web.search.model',
                ],
              },
              apiKey: {
                kind: { type: 'string' },
                description: 'Its key; best given as `$VARIABLE`.',
                secret: true,
              },
              engineId: { kind: { type: 'string' }, description: 'Id of a Google search engine.' },
              baseUrl: {
                kind: { type: 'string', pattern: webAddress },
                description: 'Address of a SearXNG server, or of another endpoint.',
              },
              model: {
                kind: { type: 'string' },
                description: 'Model of the providers that answer through one.',
              },
            },
          },
          description: 'Web search.',
          default: {},
        },
        sideModel: {
          kind: { type: 'string' },
          description: 'Model that answers questions about long pages.',
        },
      },
    },
    description: 'Fetching and searching.',
    default: {},
  },
  includeDirectories: {
    kind: { type: 'list' },
    description:
      'More folders the file tools may work in; `~/` is the home directory, relative ones start at the workspace.',
    default: [],
    joined: true,
    flag: '--include-directories',
  },
  session: {
    kind: {
      type: 'group',
      keys: {
        apart: {
          kind: { type: 'choice', values: ['never', 'ask', 'always'] },
          description:
            'Whether conversations work apart, on a view of the workspace, with one review at the end: never, offered at the first question that this would spare, or from the beginning. `-p` works apart with `--apart` alone.',
          default: 'ask',
        },
      },
    },
    description: 'Conversations.',
    default: {},
  },
  telemetry: telemetryKey,
  ui: {
    kind: {
      type: 'group',
      keys: {
        color: {
          kind: { type: 'choice', values: ['auto', 'always', 'never'] },
          description: 'Colours on the terminal.',
          default: 'auto',
        },
        theme: {
          kind: { type: 'choice', values: ['auto', 'dark', 'light', 'contrast', 'color-blind'] },
          description: 'Colours to suit the terminal; `auto` follows its background. `/theme` tries them.',
          default: 'auto',
        },
        colors: {
          kind: { type: 'map', of: { type: 'string' } },
          description:
            'Colours in place of those of the theme: `red`, `green`, `yellow`, `blue`, `magenta`, `cyan`, `added`, `removed`, `addedWord`, `removedWord`, each a number of the 256 or `#rrggbb`.',
        },
        notify: {
          kind: { type: 'choice', values: ['auto', 'always', 'never'] },
          description:
            'Bell and desktop notification for a question and the end of a turn; `auto`: when the terminal is not in focus.',
          default: 'auto',
        },
        mouse: {
          kind: { type: 'boolean' },
          description:
            'A click unfolds a block, the wheel scrolls questions and lists. The first wheel or drag elsewhere gives the mouse back to the terminal, until the next key.',
          default: false,
        },
        editor: {
          kind: { type: 'string' },
          description: 'Editor for proposed changes; default: `$VISUAL` or `$EDITOR`.',
        },
        vim: {
          kind: { type: 'boolean' },
          description: 'Edit the prompt with the keys of vim: Esc leaves the insert mode.',
        },
        screenReader: {
          kind: { type: 'boolean' },
          description: 'Only add lines, never redraw: for screen readers.',
          default: false,
        },
      },
    },
    description: 'The terminal.',
    default: {},
  },
} as const satisfies Keys;

/** Accepted in every file, and not part of the result. */
export const fileKeys = {
  $schema: {
    kind: { type: 'string' },
    description: 'Address of the JSON Schema, for editors.',
    literal: true,
  },
  v: { kind: { type: 'integer', minimum: 1, maximum: 1_000_000 }, description: 'Version of this format: 1.' },
} as const satisfies Keys;

export type Settings = GroupValue<typeof settingKeys>;
