import {
  type Message,
  type Part,
  type PartListUnion,
  textOf,
  toParts,
} from '@toolwright/machine/base/content.js';
import type { Effect } from '@toolwright/machine/base/effect.js';
import { requireSignal } from '@toolwright/machine/base/errors.js';
import { deadlineIn } from '@toolwright/machine/host/deadline.js';
import { createHttp } from '@toolwright/machine/host/http/http.js';
import { createClock, createIds } from '@toolwright/machine/host/node-host.js';
import { openStateFolder, stateFolderPath } from '@toolwright/machine/host/state/state-folder.js';
import { createWorkspace } from '@toolwright/machine/host/workspace.js';
import { runPrompt } from './agent/agent.js';
import type { AgentEvent, AgentResult } from './agent/events.js';
import { logRequests } from './agent/logged-model.js';
import { systemPrompt } from './agent/prompt.js';
import { askOverText } from './agent/side-question.js';
import { createToolbox, type Toolbox } from './create-toolbox.js';
import type { ModelChoice } from './model/choose-model.js';
import type { ModelClient } from './model/model.js';
import type { CreateAgentOptions } from './options/agent-options.js';
import { checkAgentOptions } from './options/option-checks.js';
import type { ToolboxOptions } from './options/toolbox-options.js';
import { nobodyToAsk, type SettledCall } from './scheduler/call.js';
import { messageWithoutSecrets } from './session/journal.js';
import { findSession, resumeSession, type SavedSession } from './session/saved-sessions.js';
import type { McpOptions } from './tools/mcp/open-servers.js';

export interface Agent extends Toolbox {
  readonly model: ModelClient;
  /** The model that was chosen, and why; null for a client that was given. */
  readonly choice: ModelChoice | null;
  readonly messages: readonly Message[];
  /** Works on a prompt until the model asks for nothing more. */
  prompt(prompt: PartListUnion, signal?: AbortSignal, options?: PromptOptions): Promise<AgentResult>;
}

export interface PromptOptions {
  /**
   * Asked after the calls of each turn and when the model is done: parts that the user wrote meanwhile go to the model as a further
   * prompt, before anything else is asked of it; null for nothing.
   */
  between?(signal: AbortSignal): Promise<Part[] | null>;
}

const CONTEXT_LIMIT_MS = 10_000;

/** An agent on a workspace: model, tools, rules and journal, connected. */
export async function createAgent(options: CreateAgentOptions): Promise<Agent> {
  checkAgentOptions(options);
  const { model: _model, onEvent, maxTurns, maxCalls, importDepth: _depth, ...forToolbox } = options;
  const emit = onEvent ?? (() => undefined);
  const { client: model, choice } = await chooseModel(options);
  const earlier = await findEarlier(options);
  const toolbox = await createToolbox({
    ...forToolbox,
    resume: earlier?.id,
    onCallEvent: emit,
    forModel: true,
    modelName: { provider: model.provider, model: model.model },
    takesPdf: model.capabilities?.pdf ?? false,
    mcp: options.mcp && answeredByModel(options.mcp, options, model),
    askModel: sideQuestion(model),
  });
  const messages = earlier ? await messagesOf(earlier, toolbox) : [];
  const context = await openContext(toolbox, options);
  const conversation = {
    ...(await conversationOf(toolbox, context)),
    model: options.debug ? logRequests(model, toolbox.host.log) : model,
    messages,
    emit,
    maxTurns,
    maxCalls,
  };
  let started = false;
  return {
    ...toolbox,
    model,
    choice,
    messages,
    async prompt(prompt, signal = new AbortController().signal, { between } = {}) {
      toolbox.scheduler.requireOpen();
      if (typeof prompt !== 'string' && typeof prompt !== 'object')
        throw new TypeError('The first argument must be a text, or parts.');
      requireSignal(signal);
      if (started) await refreshOwnTools(toolbox, emit, signal);
      else emit(sessionStart(toolbox, model));
      started = true;
      await toolbox.apart.notePrompt(textOf(prompt));
      await toolbox.mcp?.awaitNamed(textOf(prompt), signal);
      return runPrompt(toParts(prompt), { ...conversation, between }, signal);
    },
  };
}

/** Everything of a conversation that the toolbox gives. */
async function conversationOf(
  { host, permission, registry, redactor, scheduler, session }: Toolbox,
  context: Context,
) {
  const { workspace, clock, log } = host;
  return {
    scheduler,
    log,
    system: systemPrompt({
      workspace: workspace.directory,
      otherRoots: workspace.roots.slice(1).map(({ path }) => path),
      platform: process.platform,
      date: new Date(clock.now()).toISOString().slice(0, 10),
      mode: permission.mode,
      editTool: registry.find('apply_patch') ? 'apply_patch' : 'edit',
      context: await context.initial(),
    }),
    declarations: () => registry.getFunctionDeclarations(),
    clean: (message: Message) => messageWithoutSecrets(message, redactor),
    record: session.recordMessage,
    recordHistory: session.recordHistory,
    contextOf: (settled: readonly SettledCall[], signal: AbortSignal) =>
      context.touched(
        settled.flatMap(({ effects }) => [...effects]),
        signal,
      ),
  };
}

/** The offline model answers no questions over texts. */
function sideQuestion(model: ModelClient): ToolboxOptions['askModel'] {
  if (model.provider === 'offline') return undefined;
  return (prompt, text, signal) => askOverText(model, { prompt, text }, signal);
}

/** A tool file that was changed since the last prompt counts as it is now. */
async function refreshOwnTools(
  { ownTools }: Toolbox,
  emit: (event: AgentEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  for (const message of (await ownTools?.refresh(signal)) ?? []) emit({ type: 'notice', message });
}

/** Notices of servers reach the user as events; their questions reach the model where the user agrees. */
function answeredByModel(
  mcp: McpOptions,
  { onEvent, confirm = nobodyToAsk }: CreateAgentOptions,
  model: ModelClient,
): McpOptions {
  const say = mcp.say ?? ((message: string) => onEvent?.({ type: 'notice', message }));
  if (model.provider === 'offline') return { ...mcp, say };
  return {
    ...mcp,
    say,
    samplesWithTools: true,
    onSample: async (request, signal) => {
      const { answerSample } = await import('./agent/sampling.js');
      return answerSample(request, { model, confirm, say }, signal);
    },
  };
}

type Context = Awaited<ReturnType<typeof openContext>>;

/** Context files at the start, and those of folders that calls touch; never with a secret in them. */
async function openContext({ host, state, permission, redactor }: Toolbox, options: CreateAgentOptions) {
  const { openContextFiles } = await import('./memory/open-context.js');
  const { pathsOfEffects } = await import('./memory/context-files.js');
  const files = await openContextFiles({
    host,
    state,
    policy: permission.refusalWithoutAsking,
    trusted: options.trusted ?? false,
    fileNames: options.contextFileNames,
    importDepth: options.importDepth,
  });
  return {
    initial: async () => redactor.text((await files.initial(deadlineIn(CONTEXT_LIMIT_MS))).text),
    touched: async (effects: readonly Effect[], signal: AbortSignal) =>
      redactor.text((await files.touched(pathsOfEffects(effects), signal)).text),
  };
}

async function findEarlier({
  resume,
  stateFolder,
  workspace,
  environment = process.env,
}: CreateAgentOptions): Promise<SavedSession | null> {
  if (resume === undefined) return null;
  const state = openStateFolder(stateFolder ?? stateFolderPath(environment));
  const { directory } = createWorkspace({ directory: workspace });
  return findSession(state, directory, resume === 'latest' ? undefined : resume);
}

async function messagesOf(earlier: SavedSession, { session, close }: Toolbox): Promise<Message[]> {
  try {
    await session.claim();
    return (await resumeSession(earlier)).messages;
  } catch (error) {
    await close();
    throw error;
  }
}

function sessionStart(
  { session, host, permission, apart }: Toolbox,
  { provider, model }: ModelClient,
): AgentEvent {
  return {
    type: 'session-start',
    sessionId: session.id,
    provider,
    model,
    workspace: host.workspace.directory,
    mode: permission.mode,
    apart: apart.id ?? undefined,
  };
}

async function chooseModel({
  model,
  environment = process.env,
}: CreateAgentOptions): Promise<{ client: ModelClient; choice: ModelChoice | null }> {
  if (model && 'stream' in model) return { client: model, choice: null };
  const { createModel } = await import('./model/choose-model.js');
  const ids = createIds();
  return createModel({
    ...model,
    environment,
    host: { http: createHttp({ environment }), clock: createClock(), ids },
    offline: async () => (await import('./model/offline/offline.js')).createOfflineModel(ids),
  });
}
