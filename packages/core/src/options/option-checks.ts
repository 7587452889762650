import { isJsonObject } from '@toolwright/machine/base/json.js';
import type { Root } from '@toolwright/machine/host/workspace.js';
import type { ConfiguredServer } from '@toolwright/mcp/catalogue/catalogue.js';
import type { LanguageOptions, NamedServer } from '../languages/known-servers.js';
import type { ModelCapabilities, ModelClient } from '../model/model.js';
import { efforts, type Tuning } from '../model/tuning.js';
import { approvalModes } from '../permission/modes.js';
import type { RuleText } from '../permission/rules.js';
import type { AcceptedNotes, NotesFile } from '../pieces/extension-notes.js';
import type { HookFile } from '../pieces/hooks/hook.js';
import type { ExtensionPlace, PieceFolder } from '../pieces/piece.js';
import type { McpOptions } from '../tools/mcp/open-servers.js';
import type { OwnToolsOptions, ToolFolder } from '../tools/own/own-sources.js';
import type { SandboxSettings } from '../tools/programs/command-settings.js';
import type { SearchOptions } from '../tools/search-providers/create-search-provider.js';
import type { ConversationOptions, CreateAgentOptions, ModelSettings, SetByAgent } from './agent-options.js';
import {
  anyObject,
  between,
  type ChecksOf,
  callback,
  checkOptions,
  count,
  flag,
  listOf,
  namedText,
  type OptionCheck,
  objectOf,
  oneOf,
  recordOf,
  secretText,
  text,
  typeOf,
} from './check-options.js';
import type { PieceOptions, ScriptOptions, ToolboxOptions } from './toolbox-options.js';

const names = listOf(text);

/** Rules of the settings carry their origin as data too. */
const rule = objectOf<RuleText & { origin?: object }>(
  { verdict: oneOf(['allow', 'ask', 'deny']), text: namedText, source: namedText, origin: anyObject },
  ['verdict', 'text', 'source'],
);

const root = objectOf<Root>({ path: namedText, access: oneOf(['read', 'write']) }, ['path', 'access']);

const command: OptionCheck = (value, place) =>
  typeof value === 'string' ? namedText(value, place) : names(value, place);

const namedServer = objectOf<NamedServer>(
  { command, extensions: names, settings: anyObject, initializationOptions: anyObject },
  ['command', 'extensions'],
);

const serverConfig: OptionCheck = (value, place) =>
  typeof value === 'object' && value !== null && 'alias' in value && 'endpoint' in value
    ? []
    : [`${place}: expected what parseServer(name, settings, where) gives, got ${typeOf(value)}.`];

const server = objectOf<ConfiguredServer>({ config: serverConfig, place: text, isAskedFor: flag }, [
  'config',
  'place',
]);

const pieceFolders = listOf(
  objectOf<PieceFolder>(
    {
      path: namedText,
      shown: namedText,
      only: names,
      extension: objectOf<ExtensionPlace>({ name: namedText, root: namedText }, ['name', 'root']),
    },
    ['path', 'shown'],
  ),
);

const hookFile = objectOf<HookFile>(
  {
    path: namedText,
    shown: namedText,
    format: oneOf(['claude', 'gemini', 'qwen']),
    isOwn: flag,
    root: namedText,
  },
  ['path', 'shown', 'format', 'isOwn'],
);

const forBoth: ChecksOf<Omit<ToolboxOptions, SetByAgent>> = {
  workspace: namedText,
  include: listOf(root),
  stateFolder: namedText,
  environment: recordOf(secretText),
  secrets: listOf(secretText, typeOf),
  ignoreFiles: names,
  debug: flag,
  approvalMode: oneOf(approvalModes),
  rules: listOf(rule),
  ownFiles: names,
  confirm: callback,
  front: namedText,
  sessionId: namedText,
  sandbox: objectOf<SandboxSettings>({
    mode: oneOf(['auto', 'required', 'off']),
    environment: names,
    memory: text,
    networkHosts: names,
  }),
  ignoredFiles: oneOf(['keep', 'ask']),
  apart: (value, place) => (typeof value === 'string' ? namedText(value, place) : flag(value, place)),
  onCopy: callback,
  onEntry: callback,
  answerInstead: callback,
  saysApart: flag,
  tools: listOf(() => []),
  ownTools: objectOf<OwnToolsOptions>({
    folders: listOf(
      objectOf<ToolFolder>({ path: namedText, only: namedText, vouched: callback, extension: namedText }, [
        'path',
      ]),
    ),
    discoveryCommand: command,
    callCommand: command,
    thread: callback,
  }),
  pieces: objectOf<PieceOptions>({
    skills: pieceFolders,
    commands: pieceFolders,
    agents: pieceFolders,
    hooks: listOf(hookFile),
    context: listOf(
      objectOf<NotesFile>({
        name: namedText,
        root: namedText,
        path: namedText,
        accepted: objectOf<AcceptedNotes>({
          digest: namedText,
          size: count,
          modifiedMs: count,
          changedMs: count,
        }),
      }),
    ),
    accepted: recordOf(namedText),
    say: callback,
  }),
  languages: objectOf<LanguageOptions>({
    enabled: flag,
    servers: recordOf(namedServer),
    waitMs: count,
    format: flag,
    idleMs: count,
  }),
  script: objectOf<ScriptOptions>({ enabled: flag, thread: callback }),
  excludeTools: names,
  contextFileNames: names,
  onAskUser: callback,
  search: objectOf<SearchOptions>({
    provider: oneOf(['tavily', 'brave', 'google', 'searxng', 'dashscope', 'gemini']),
    apiKey: secretText,
    engineId: text,
    baseUrl: text,
    model: text,
  }),
  trusted: flag,
  mcp: objectOf<McpOptions>(
    {
      servers: listOf(server),
      say: callback,
      anyExecutable: flag,
      onOtherCode: callback,
      onElicit: callback,
      onSample: callback,
      samplesWithTools: flag,
      onSignIn: callback,
      onlyLooks: flag,
      idleMs: count,
      limits: anyObject,
    },
    ['servers'],
  ),
  configuredServers: listOf(server),
  onlyLooks: flag,
};

const toolboxOptions = objectOf<ToolboxOptions>(
  {
    ...forBoth,
    onCallEvent: callback,
    forModel: flag,
    modelName: objectOf<{ provider: string; model: string }>({ provider: text, model: text }),
    askModel: callback,
    takesPdf: flag,
    resume: namedText,
  },
  ['workspace'],
);

const capabilities = objectOf<ModelCapabilities>({
  images: flag,
  pdf: flag,
  audio: flag,
  contextWindow: count,
  maxOutputTokens: count,
});

const modelSettings = objectOf<ModelSettings>({
  provider: oneOf(['openai', 'openai-responses', 'anthropic', 'gemini', 'offline']),
  model: text,
  baseUrl: text,
  apiKey: secretText,
  chosenBy: text,
  tuning: objectOf<Tuning>({ effort: oneOf(efforts), temperature: between(0, 2) }),
  fallback: names,
  capabilities,
  idleTimeoutMs: count,
});

function isPlainData(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  return isJsonObject(value) && !Object.values(value).some((member) => typeof member === 'function');
}

/** A client may be of a class of the program's own, with more members than these. */
const model: OptionCheck = (value, place) => {
  if (typeof value !== 'object' || value === null)
    return [
      `${place}: expected an object with provider and model, or a ModelClient with stream, got ${typeOf(value)}.`,
    ];
  if (!('stream' in value))
    return isPlainData(value)
      ? modelSettings(value, place)
      : [`${place}.stream is missing: a ModelClient has provider, model and stream.`];
  const { provider, model: name, stream } = value as Partial<ModelClient>;
  return [
    ...callback(stream, `${place}.stream`),
    ...namedText(provider, `${place}.provider`),
    ...namedText(name, `${place}.model`),
  ];
};

const conversation: ChecksOf<ConversationOptions> = {
  model,
  wrapModel: callback,
  onEvent: callback,
  maxTurns: count,
  maxCalls: count,
  maxTokens: count,
  maxCost: between(0, 1_000_000),
  maxMs: count,
  appendSystemPrompt: text,
  beforeRequest: callback,
  checkpoint: callback,
  resume: namedText,
  startWith: listOf(anyObject),
  isCleared: flag,
  importDepth: count,
};

const agentOptions = objectOf<CreateAgentOptions>({ ...forBoth, ...conversation }, ['workspace']);

/** Throws a `SettingsError` for options that a program can't have meant. */
export function checkToolboxOptions(options: unknown): void {
  checkOptions('createToolbox', options, toolboxOptions);
}

export function checkAgentOptions(options: unknown): void {
  checkOptions('createAgent', options, agentOptions);
}
