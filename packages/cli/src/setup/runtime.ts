import { resolve } from 'node:path';
import {
  type Agent,
  type AgentEvent,
  type ConfiguredServer,
  type CreateAgentOptions,
  createAgent,
  createToolbox,
  type LiveOptions,
  type McpOptions,
  type Message,
  type ModelSettings,
  openState,
  type Toolbox,
  type ToolboxOptions,
} from '@toolwright/core';
import {
  closeInheritedDescriptors,
  createClock,
  createIds,
  deadlineIn,
  type InstalledExtension,
  installedExtensions,
  type LoadedSettings,
  loadSettings,
  openTrustStore,
  permissionRules,
  projectExtensions,
  secretsInSettings,
  stateFolderPath,
  type TrustState,
} from '@toolwright/core/front-end';
import { UsageError } from '../base/exit-codes.js';
import { warn } from '../base/print.js';
import { isStdinTerminal } from '../base/read-stdin.js';
import { isTerminal } from '../base/standard-output.js';
import type { Arguments } from '../command-line/args.js';
import { excludedByExtensions } from './extensions.js';
import { hasServers, rulesOfTrustedServers, serverProblems, serversOf } from './mcp-servers.js';
import { ownToolsOf } from './own-tools.js';
import { piecesOf, remarksOnPieces } from './pieces.js';
import { publishSession } from './publish-session.js';
import { nameContextFiles, neverAsked, trustWarnings } from './trust-notices.js';
import { watchAgent } from './watch-agent.js';

export interface ServersOptions
  extends Partial<
    Pick<McpOptions, 'onlyLooks' | 'anyExecutable' | 'onElicit' | 'onSignIn' | 'onOtherCode' | 'say'>
  > {
  /** True if the caller says what there is to say about them. */
  isQuiet?: boolean;
  /** Servers beside those of the settings. */
  more?: readonly ConfiguredServer[];
}

export interface RuntimeOptions {
  /** The front end, for the journal. */
  front: string;
  /** False: the user at the terminal is never asked. */
  mayAsk?: boolean;
  /** Asks in its own way. */
  confirm?: ToolboxOptions['confirm'];
  /** Options for MCP servers; without them no server takes part. */
  servers?: ServersOptions;
  /** The calls come from a model. */
  forModel?: ToolboxOptions['forModel'];
  /** Works on a copy of the workspace. */
  apart?: boolean;
  onCopy?: ToolboxOptions['onCopy'];
  /** True if nothing will be called. */
  onlyLooks?: ToolboxOptions['onlyLooks'];
  sessionId?: ToolboxOptions['sessionId'];
}

/** Limits and words of one conversation. */
export type ConversationChoices = Pick<
  CreateAgentOptions,
  'maxTurns' | 'maxTokens' | 'maxCost' | 'maxMs' | 'appendSystemPrompt' | 'beforeRequest' | 'checkpoint'
>;

/** Everything the flags, the environment and the settings files say about a run. */
export interface Setup {
  workspace: string;
  stateFolder: string;
  /** The user vouches for the workspace, by an answer or by `--trust`. */
  trusted: boolean;
  trust: TrustState;
  loaded: LoadedSettings;
  /** The installed extensions, on or off. */
  extensions: readonly InstalledExtension[];
  /** The settings name a model that was chosen in the conversation. */
  hasChosenModel?: boolean;
  /** Sentences to show the user. */
  warnings: string[];
  /** Sentences about servers that are off. */
  serverWarnings: string[];
}

const TRUST_LIMIT_MS = 20_000;

/** Flags that are settings; the settings know what they mean. */
const settingFlags = [
  'approval-mode',
  'sandbox',
  'model',
  'provider',
  'base-url',
  'effort',
  'temperature',
  'fallback-model',
  'max-turns',
  'exclude-tools',
  'allowed-tools',
  'include-directories',
];

/** `servers`: servers take part, so it matters which of them are off. `model`: there is a model, which reads context files. */
export async function loadSetup(args: Arguments, { servers = false, model = false } = {}): Promise<Setup> {
  const setup = await readSetup(args);
  const ofServers = servers ? setup.serverWarnings : [];
  for (const warning of [...setup.warnings, ...ofServers, ...neverAsked(setup, { model })]) warn(warning);
  return setup;
}

export async function readSetup(args: Arguments): Promise<Setup> {
  closeInheritedDescriptors();
  const workspace = resolve(args.values.get('workspace') ?? '.');
  const stateFolder = stateFolderPath(process.env);
  const clock = createClock();
  const state = openState({ path: stateFolder, host: { clock, ids: createIds() } });
  const trust = await openTrustStore(state, { clock }).trustState(workspace, deadlineIn(TRUST_LIMIT_MS));
  const trusted = args.switches.has('trust') || trust.state === 'trusted';
  const loaded = await loadSettings({
    stateFolder,
    workspace,
    trusted,
    environment: process.env,
    flags: flagsOf(args),
    settingsFile: args.values.get('settings'),
    mcpConfigFile: args.values.get('mcp-config'),
    fingerprint: trust.examination.fingerprint,
  });
  await nameContextFiles(trust, loaded.settings.context.fileName);
  const installed = await installedExtensions(state);
  const ofProject = trusted ? await projectExtensions(trust.examination, installed) : null;
  const extensions = [...installed, ...(ofProject?.extensions ?? [])];
  const setup = { workspace, stateFolder, trusted, trust, loaded, extensions };
  const warnings = [
    ...loaded.warnings,
    ...(trusted ? [] : trustWarnings(trust)),
    ...remarksOnPieces(setup),
    ...(ofProject?.problems ?? []),
  ];
  return { ...setup, warnings, serverWarnings: [...loaded.serverWarnings, ...serverProblems(setup, args)] };
}

export async function openToolbox(args: Arguments, front: RuntimeOptions, setup?: Setup): Promise<Toolbox> {
  const servers = front.servers && { say: warn, ...front.servers };
  const options = await toolboxOptions(
    setup ?? (await loadSetup(args, { servers: servers !== undefined })),
    args,
    { ...front, servers },
  );
  const toolbox = await createToolbox(options);
  for (const notice of toolbox.notices) warn(notice);
  return args.switches.has('debug') ? { ...toolbox, close: () => closeNamingLog(toolbox) } : toolbox;
}

/** The toolbox for one piece of work, closed when that is done. */
export async function withToolbox<Result>(
  args: Arguments,
  front: RuntimeOptions,
  work: (toolbox: Toolbox, setup: Setup) => Promise<Result>,
): Promise<Result> {
  const setup = await loadSetup(args, { servers: front.servers !== undefined });
  const toolbox = await openToolbox(args, front, setup);
  try {
    return await work(toolbox, setup);
  } finally {
    await toolbox.close();
  }
}

async function closeNamingLog({ close, host }: Toolbox): Promise<void> {
  await close();
  warn(`The log is in ${host.log.path}`);
}

type AgentFront = RuntimeOptions & {
  onEvent(event: AgentEvent): void;
  startWith?: readonly Message[] | undefined;
  isCleared?: boolean | undefined;
  conversation?: ConversationChoices;
};

/** An agent as flags and settings want it; `openAgent` lets others see and record it besides. */
export async function agentOptions(
  args: Arguments,
  front: AgentFront,
  setup: Setup,
): Promise<CreateAgentOptions> {
  const { settings } = setup.loaded;
  return {
    ...(await toolboxOptions(setup, args, { servers: {}, ...front })),
    onEvent: front.onEvent,
    model: modelSettings(setup.loaded),
    importDepth: settings.context.importDepth,
    maxTurns: settings.model.maxTurns,
    ...front.conversation,
    ...(front.startWith ? { startWith: front.startWith } : resumeOf(args)),
    isCleared: front.isCleared,
  };
}

/** `tell`: shows a sentence to everybody who looks at the session. */
export async function openAgent(
  args: Arguments,
  front: AgentFront,
  given?: Setup,
): Promise<Agent & { tell(message: string): void }> {
  const setup = given ?? (await loadSetup(args, { servers: true, model: true }));
  const live = publishSession(front.front, front.onEvent);
  const watching = await watchAgent(args, setup.loaded.settings);
  const options = await agentOptions(args, { ...front, onEvent: watching.heard(live.onEvent) }, setup);
  const agent = await createAgent({
    ...options,
    ...watching.options,
    confirm: options.confirm && live.confirm(options.confirm),
  });
  await watching.begin(agent);
  live.opened(agent);
  const { close } = agent;
  // The same object: its model may be another one later.
  return Object.assign<Agent, Pick<Agent, 'close'> & { tell(message: string): void }>(agent, {
    tell: (message) => live.onEvent({ type: 'notice', message }),
    async close(reason) {
      live.close();
      await watching.end();
      await close(reason);
    },
  });
}

async function toolboxOptions(
  setup: Setup,
  args: Arguments,
  { front, mayAsk = true, confirm, apart, onCopy, onlyLooks, servers, forModel, sessionId }: RuntimeOptions,
): Promise<ToolboxOptions> {
  const { workspace, stateFolder, trusted, loaded } = setup;
  const { settings } = loaded;
  const canAsk = mayAsk && isStdinTerminal() && isTerminal(2);
  return {
    workspace,
    stateFolder,
    ownFiles: loaded.files.filter(({ layer }) => layer !== 'project').map(({ path }) => path),
    front,
    sessionId,
    include: settings.includeDirectories.map((path) => ({ path, access: 'write' })),
    environment: process.env,
    trusted,
    ...liveOptions(setup, args),
    ...(servers && (hasServers(setup) || servers.more?.length)
      ? serverOptions(setup, args, { servers, canAsk })
      : {}),
    apart,
    onCopy,
    onlyLooks,
    ownTools: ownToolsOf(setup, args),
    pieces: piecesOf(setup, process.env),
    ignoreFiles: settings.ignore.files,
    ignoredFiles: settings.permissions.ignoredFiles,
    contextFileNames: settings.context.fileName,
    search: settings.web.search,
    languages: {
      enabled: settings.languages.enabled,
      servers: settings.languages.servers,
      waitMs: settings.languages.wait,
      format: settings.languages.format,
    },
    script: { enabled: settings.tools.script },
    sandbox: settings.sandbox,
    // An agent takes no such option.
    forModel: forModel || undefined,
    onAskUser: servers?.onElicit ?? (servers && canAsk ? answersAtTerminal.onElicit : undefined),
    debug: args.switches.has('debug'),
    confirm: confirm ?? (canAsk ? askingOnTerminal(setup) : undefined),
  };
}

/** The options that can change while a toolbox is in use. */
export function liveOptions(setup: Setup, args: Arguments): LiveOptions {
  const { settings } = setup.loaded;
  return {
    approvalMode: settings.approvalMode,
    rules: permissionRules(setup.loaded),
    configuredServers: hasServers(setup) ? serversOf(setup, args) : undefined,
    excludeTools: [...settings.tools.exclude, ...excludedByExtensions(setup)],
    secrets: secretsInSettings(settings),
  };
}

/** The configured servers, who answers them, and what trusting one of them allows. */
function serverOptions(
  setup: Setup,
  args: Arguments,
  front: { servers: ServersOptions; canAsk: boolean },
): Pick<ToolboxOptions, 'mcp' | 'rules' | 'configuredServers'> {
  const { loaded } = setup;
  const { isQuiet, more = [], ...options } = front.servers;
  const servers = [...serversOf(setup, args), ...more];
  return {
    mcp: {
      ...(front.canAsk ? answersAtTerminal : {}),
      ...options,
      say: isQuiet ? () => undefined : options.say,
      servers,
    },
    configuredServers: servers,
    rules: [...permissionRules(loaded), ...rulesOfTrustedServers(loaded)],
  };
}

/** Loaded with the first question of a server. */
const answersAtTerminal: Pick<McpOptions, 'onElicit' | 'onSignIn' | 'onOtherCode'> = {
  async onElicit(request, signal) {
    const { elicitOnTerminal } = await import('../ask/elicit.js');
    return elicitOnTerminal(request, signal);
  },
  async onOtherCode(other, signal) {
    const { codeQuestion } = await import('../ask/other-code.js');
    const { askYesOrNoOnTerminal } = await import('../ask/ask-on-terminal.js');
    return askYesOrNoOnTerminal(codeQuestion(other), signal);
  },
  async onSignIn(request) {
    const { signInText } = await import('../ask/elicit.js');
    warn(signInText(request));
  },
};

/** Loaded with the first question. */
function askingOnTerminal(setup: Setup): NonNullable<ToolboxOptions['confirm']> {
  return async (request, signal) => {
    const { askOnTerminal } = await import('../ask/ask-on-terminal.js');
    return askOnTerminal(request, setup, signal);
  };
}

function resumeOf({ values, switches }: Arguments): { resume?: string } {
  const id = values.get('resume');
  if (id !== undefined && switches.has('continue'))
    throw new UsageError('Give --resume or --continue, not both.');
  if (id === undefined && !switches.has('continue')) return {};
  return { resume: id || 'latest' };
}

export function modelSettings({ settings, origins }: LoadedSettings): ModelSettings {
  const { provider, name, baseUrl, apiKey, contextWindow, silenceLimit, effort, temperature, fallback } =
    settings.model;
  const origin = origins['model.provider'];
  return {
    chosenBy: origin?.layer === 'environment' ? origin.source : undefined,
    provider,
    model: name,
    baseUrl,
    apiKey,
    tuning: { effort, temperature },
    fallback,
    capabilities: contextWindow === undefined ? undefined : { contextWindow },
    idleTimeoutMs: silenceLimit === undefined ? undefined : silenceLimit * 1_000,
  };
}

function flagsOf({ values, lists, switches }: Arguments): Record<string, string | number | string[]> {
  const flags: Record<string, string | number | string[]> = {};
  for (const name of settingFlags) {
    const value = lists.get(name) ?? values.get(name);
    if (value !== undefined) flags[`--${name}`] = value;
  }
  if (switches.has('yolo')) {
    if (flags['--approval-mode'] !== undefined && flags['--approval-mode'] !== 'yolo') {
      throw new UsageError(
        `-y means --approval-mode yolo, but --approval-mode ${String(flags['--approval-mode'])} was given too.`,
      );
    }
    flags['--approval-mode'] = 'yolo';
  }
  return flags;
}
