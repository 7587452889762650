import {
  type Message,
  type Part,
  type PartListUnion,
  textOf,
  toParts,
} from '@toolwright/machine/base/content.js';
import type { Effect } from '@toolwright/machine/base/effect.js';
import { requireSignal, SettingsError } from '@toolwright/machine/base/errors.js';
import { deadlineIn } from '@toolwright/machine/host/deadline.js';
import { openStateFolder, stateFolderPath } from '@toolwright/machine/host/state/state-folder.js';
import { createWorkspace, type Root } from '@toolwright/machine/host/workspace.js';
import { type AgentOptions, runPrompt } from './agent/agent.js';
import { type ContextShare, contextShares } from './agent/context-use.js';
import type { AgentEvent, AgentResult } from './agent/events.js';
import { describeInterrupted, type LeftCalls, parkedCallsIn, repeatableCalls } from './agent/left-calls.js';
import { logRequests } from './agent/logged-model.js';
import { systemPrompt } from './agent/prompt.js';
import { furtherPrompts, refusedPrompt } from './agent/refused-prompt.js';
import { withinTime } from './agent/spending/budget.js';
import type { SessionEndReason, ToldHooks, ToldHooksNeeds } from './agent/told-hooks.js';
import { answeredByModel, type ChosenModel, chooseModel, otherModels, sideQuestion } from './create-model.js';
import { createSubagentOffer, MAIN_MAY_ASK, toolboxOfAgent } from './create-subagents.js';
import { createToolbox, type Toolbox } from './create-toolbox.js';
import type { ModelFacts } from './model/catalogue/model-table.js';
import type { ModelChoice } from './model/choose-model.js';
import type { ModelClient } from './model/model.js';
import type { CreateAgentOptions, ModelSettings, PromptOptions } from './options/agent-options.js';
import { announcing, forToolbox } from './options/for-toolbox.js';
import { checkAgentOptions } from './options/option-checks.js';
import type { ToolboxOptions } from './options/toolbox-options.js';
import { neverParking, nobodyToAsk, type SettledCall } from './scheduler/call.js';
import { messageWithoutSecrets } from './session/journal.js';
import { findSession, resumeSession, type SavedSession } from './session/saved-sessions.js';
import { taskToolsFor } from './tools/task/when-needed.js';

/** A toolbox with a model: prompts go in, calls are carried out, results come back. */
export interface Agent extends Toolbox {
  readonly model: ModelClient;
  /** The model that was chosen, and why; null for a client that was given. */
  readonly choice: ModelChoice | null;
  readonly messages: readonly Message[];
  /** Calls that were under way when the session that goes on here was interrupted, in the words of their tools. */
  readonly interrupted: readonly string[];
  /** True if the resumed session ended before calls that wait for the user's answer; `goOn` runs them. */
  readonly isParked: boolean;
  /** Prices and window of a model, as far as they are known; of the one in use unless another is named. */
  factsOf(model?: string): ModelFacts;
  /** Makes another model answer from the next prompt on. */
  useModel(settings: ModelSettings): Promise<void>;
  /** Puts a summary in the place of the conversation so far; false when there is too little of it. */
  compact(focus: string, signal: AbortSignal): Promise<boolean>;
  /** Cuts the conversation down to its first messages. */
  rewind(count: number): Promise<void>;
  /** Divides the next request by kind, in tokens. */
  contextShares(): ContextShare[];
  /** Works on a prompt until the model asks for nothing more. */
  prompt(prompt: PartListUnion, signal?: AbortSignal, options?: PromptOptions): Promise<AgentResult>;
  /** Runs the calls that an earlier prompt of the resumed session left to the user's answer, and works on. */
  goOn(signal: AbortSignal, options?: Pick<PromptOptions, 'earlier'>): Promise<AgentResult>;
  /** Ends the session; hooks are told why. */
  close(reason?: SessionEndReason): Promise<void>;
}

const CONTEXT_LIMIT_MS = 10_000;

/** An agent on a workspace: model, tools, rules and journal, connected. */
export async function createAgent(given: CreateAgentOptions): Promise<Agent> {
  checkAgentOptions(given);
  const current = await chooseModel(given);
  let told: ToldHooks | null = null;
  const options = announcing(given, (...question) => told?.questionAsked(...question));
  const opened = await openConversation(options, current);
  ({ told } = opened);
  const { toolbox, conversation, interrupted } = opened;
  const { messages } = conversation;
  current.spending.writeTo(toolbox.session.recordUsage);
  return {
    ...toolbox,
    get model() {
      return current.client;
    },
    get choice() {
      return current.choice;
    },
    messages,
    interrupted: await describeInterrupted(messages, interrupted, toolbox),
    ...controlOf(current, { ...conversation, told }, options),
    ...promptsOf(opened, current, options),
    isParked: opened.waiting !== null,
    async close(reason) {
      await told?.end(deadlineIn(END_LIMIT_MS), reason).catch(() => undefined);
      await toolbox.close();
    },
  };
}

type OpenedConversation = Awaited<ReturnType<typeof openConversation>>;

/** The toolbox, the messages so far and everything that a turn needs. */
async function openConversation(options: CreateAgentOptions, current: ChosenModel) {
  const { startWith, onEvent, maxTurns, maxCalls, maxTokens, maxCost } = options;
  const emit = onEvent ?? (() => undefined);
  const earlier = await findEarlier(options);
  const toolbox = await createToolbox({
    ...toolboxOptions(options, current),
    resume: earlier?.id,
    onCallEvent: emit,
  });
  const source = earlier ? 'resume' : options.isCleared ? 'clear' : 'startup';
  const told = await openToldHooks(toolbox, { emit, source, record: toolbox.session.recordHook });
  const { messages, interrupted, parked } = earlier
    ? await messagesOf(earlier, toolbox)
    : { messages: [...(startWith ?? [])], interrupted: 0, parked: { calls: [], seen: [] } };
  if (!earlier && messages.length > 0) await toolbox.session.recordHistory(messages);
  const given = [...toolbox.host.workspace.roots];
  const conversation = {
    ...(await conversationOf(toolbox, await openContext(toolbox, options), {
      appended: options.appendSystemPrompt,
      given,
    })),
    messages,
    emit,
    budget: { turns: maxTurns, calls: maxCalls, tokens: maxTokens, cost: maxCost },
    spent: () => current.spending.spent,
    checkpoint: options.checkpoint,
    whenDone: told?.whenDone,
    beforeShortening: told?.beforeShortening,
    afterShortening: told?.afterShortening,
  };
  const waiting = parkedCallsIn(messages, parked.calls);
  if (waiting) for (const [path, hash] of parked.seen) toolbox.seenFiles?.saw(path, { hash });
  return { toolbox, told, conversation, interrupted, waiting };
}

/** Adds the agent's own needs to the options of its toolbox. */
function toolboxOptions(options: CreateAgentOptions, current: ChosenModel): ToolboxOptions {
  const { provider, model, capabilities } = current.client;
  return {
    ...forToolbox(options),
    pieces: options.pieces && {
      say: (message) => options.onEvent?.({ type: 'notice', message }),
      ...options.pieces,
    },
    forModel: true,
    modelName: { provider, model },
    takesPdf: capabilities?.pdf ?? false,
    mcp: options.mcp && answeredByModel(options.mcp, options, current),
    askModel: sideQuestion(current),
  };
}

type OfRun = Pick<AgentOptions, 'between' | 'repeat' | 'earlier'>;

/** Works on one prompt after the other; the first one begins the session. */
function promptsOf(
  opened: OpenedConversation,
  current: ChosenModel,
  options: CreateAgentOptions,
): Pick<Agent, 'prompt' | 'goOn'> {
  const { toolbox, conversation } = opened;
  const { emit, systemNow, messages } = conversation;
  const { offer, prepare } = prompting(opened, current, options);
  let started = false;
  let { waiting } = opened;
  const begin = (): void => {
    toolbox.scheduler.requireOpen();
    if (!started) emit(sessionStart(toolbox, current.client));
    started = true;
  };
  const work = (start: Part[] | LeftCalls, signal: AbortSignal, more: OfRun) => {
    waiting = null;
    const model = options.debug ? logRequests(current.client, toolbox.host.log) : current.client;
    current.spending.begin(more.earlier);
    const time = { ms: options.maxMs, earlier: more.earlier };
    const running = { ...conversation, model, system: systemNow(), ...more };
    return withinTime(time, signal, (limited) => runPrompt(start, running, limited));
  };
  return {
    async prompt(prompt, signal = new AbortController().signal, { between, onEnd, earlier } = {}) {
      toolbox.scheduler.requireOpen();
      if (typeof prompt !== 'string' && typeof prompt !== 'object')
        throw new TypeError('The first argument must be a text, or parts.');
      requireSignal(signal);
      if (started) await refreshOwnTools(toolbox, emit, signal);
      begin();
      const added = await prepare(textOf(prompt), signal, onEnd);
      if ('refused' in added) return refusedPrompt(added.refused, emit);
      const repeat = waiting ? null : await repeatableCalls(messages, toolbox.scheduler.canRepeat);
      const further = furtherPrompts({ between, prepare, emit });
      return work([...toParts(prompt), ...added], signal, { between: further, repeat, earlier });
    },
    async goOn(signal, { earlier } = {}) {
      if (!waiting) throw new SettingsError('No call of this session waits for an answer.');
      begin();
      await offer('');
      // The placeholders of the calls that wait.
      messages.pop();
      return work(waiting, signal, { earlier });
    },
  };
}

function prompting(
  { toolbox, told, conversation }: OpenedConversation,
  current: ChosenModel,
  options: CreateAgentOptions,
) {
  const { systemNow, clean, budget, spent, messages } = conversation;
  const subagents = createSubagentOffer({
    toolbox,
    confirm: neverParking(options.confirm ?? nobodyToAsk, MAIN_MAY_ASK),
    now: () => ({ model: current.client, system: systemNow(), clean, budget, spent }),
    modelNamed: otherModels(options, current),
    openToolbox: () => toolboxOfAgent(toolbox, toolboxOptions(options, current)),
  });
  const { registry } = toolbox;
  const forTasks = { registry, model: () => current.client.model, ask: options.onAskUser, messages };
  /** Offers the tools that a prompt names or needs; gives the parts that go with it. */
  const offer = async (prompt: string): Promise<Part[]> => {
    toolbox.fitModel({ model: current.client.model, takesPdf: current.client.capabilities?.pdf ?? false });
    const { tools, parts } = await subagents.forPrompt(prompt, messages);
    await toolbox.firstRequest.offerForPrompt([...tools, ...(await taskToolsFor(prompt, forTasks))]);
    return parts;
  };
  return {
    offer,
    /** Gets everything else ready too; gives the parts, or why the prompt is refused. */
    async prepare(prompt: string, signal: AbortSignal, onEnd?: PromptOptions['onEnd']) {
      const ofHooks = (await told?.beforePrompt(prompt, signal)) ?? [];
      onEnd?.('refused' in ofHooks ? ofHooks.refused : null);
      if ('refused' in ofHooks) return ofHooks;
      const parts = await offer(prompt);
      await toolbox.apart.notePrompt(prompt);
      await toolbox.mcp?.awaitNamed(prompt, signal);
      return [...ofHooks, ...parts];
    },
  };
}

interface Controlled extends Pick<AgentOptions, 'messages' | 'recordHistory' | 'declarations' | 'clean'> {
  systemNow(): string;
  told: ToldHooks | null;
}

/** Gives the actions that a user may take on a conversation between two prompts. */
function controlOf(
  current: ChosenModel,
  { messages, recordHistory, declarations, clean, systemNow, told }: Controlled,
  options: CreateAgentOptions,
): Pick<Agent, 'factsOf' | 'useModel' | 'compact' | 'rewind' | 'contextShares'> {
  async function replace(next: Message[]): Promise<void> {
    await recordHistory(next);
    messages.splice(0, messages.length, ...next);
  }
  return {
    factsOf: (name = current.client.model) => current.table(name),
    async useModel(settings) {
      Object.assign(current, await chooseModel({ ...options, model: settings }, current.spending));
    },
    async compact(focus, signal) {
      const { compressHistory } = await import('./agent/compress.js');
      await told?.beforeShortening(signal, { focus });
      const shorter = await compressHistory(current.client, messages, signal, { isWhole: true, focus });
      if (!shorter) return false;
      const parts = await told?.afterShortening(signal);
      await replace(parts ? [...shorter, clean({ role: 'user', parts })] : shorter);
      return true;
    },
    rewind: (count) => replace(messages.slice(0, count)),
    contextShares: () => contextShares({ system: systemNow(), tools: declarations(), messages }),
  };
}

const END_LIMIT_MS = 10_000;

/** Loads nothing when no hook is named. */
async function openToldHooks({ pieces }: Toolbox, needs: ToldHooksNeeds): Promise<ToldHooks | null> {
  if (!pieces.hooks) return null;
  return (await import('./agent/told-hooks.js')).createToldHooks(pieces.hooks, needs);
}

/** Everything of a conversation that the toolbox gives. */
async function conversationOf(
  { host, permission, registry, redactor, scheduler, session, seenFiles }: Toolbox,
  context: Context,
  { appended, given }: { appended: string | undefined; given: readonly Root[] },
) {
  const { workspace, clock, log } = host;
  const initial = await context.initial();
  const date = new Date(clock.now()).toISOString().slice(0, 10);
  return {
    scheduler,
    log,
    // The user may have chosen another mode or added a folder since the last prompt.
    systemNow: () =>
      systemPrompt({
        workspace: workspace.directory,
        // Folders that pieces and results open for reading later on are named where they matter.
        otherRoots: workspace.roots
          .slice(1)
          .filter((root) => root.access === 'write' || given.includes(root))
          .map(({ path }) => path),
        platform: process.platform,
        date,
        mode: permission.mode,
        editTool: registry.find('apply_patch') ? 'apply_patch' : 'edit',
        context: [initial, appended].filter(Boolean).join('\n\n'),
      }),
    declarations: () => registry.getFunctionDeclarations(),
    clean: (message: Message) => messageWithoutSecrets(message, redactor),
    record: session.recordMessage,
    recordHistory: session.recordHistory,
    recordParked: (calls: string[]) => session.recordParked({ calls, seen: seenFiles?.latest() ?? [] }),
    contextOf: (settled: readonly SettledCall[], signal: AbortSignal) =>
      context.touched(
        settled.flatMap(({ effects }) => [...effects]),
        signal,
      ),
  };
}

/** A tool file that was changed since the last prompt counts as it is now. */
async function refreshOwnTools(
  { ownTools }: Toolbox,
  emit: (event: AgentEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  for (const message of (await ownTools?.refresh(signal)) ?? []) emit({ type: 'notice', message });
}

type Context = Awaited<ReturnType<typeof openContext>>;

/** Context files at the start, and those of folders that calls touch; never with a secret in them. */
async function openContext(
  { host, state, permission, redactor, pieces }: Toolbox,
  options: CreateAgentOptions,
) {
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
    async initial() {
      const { text } = await files.initial(deadlineIn(CONTEXT_LIMIT_MS));
      return redactor.text([text, pieces.notes()].filter(Boolean).join('\n\n'));
    },
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

async function messagesOf(
  earlier: SavedSession,
  { session, close }: Toolbox,
): Promise<Awaited<ReturnType<typeof resumeSession>>> {
  try {
    await session.claim();
    return await resumeSession(earlier);
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
