import type {
  ClientCapabilities,
  ContentBlock,
  SessionConfigOption,
  SessionUpdate,
  StopReason,
} from '@agentclientprotocol/sdk';
import {
  type AbortReason,
  type Agent,
  type AgentEvent,
  type AgentResult,
  isToolError,
  type Part,
} from '@toolwright/core';
import {
  createClock,
  deadlineIn,
  itemsIn,
  openTrustStore,
  todoIn,
  withinDeadline,
} from '@toolwright/core/front-end';
import { meaningOf } from '../app/line-meaning.js';
import type { Ask } from '../app/question.js';
import type { Arguments } from '../command-line/args.js';
import type { Setup } from '../setup/runtime.js';
import type { Editor } from './ask.js';
import type { performCommand } from './commands.js';
import { AS_IT_LIKES, configOptionsOf, isMode, modesOf } from './config.js';
import { AcpFailure, codes } from './failures.js';
import { openEditorAgent, type SessionWish } from './open-agent.js';
import { attachedParts, type ReadPrompt, readPrompt } from './prompt-parts.js';
import { createLiveOutput } from './updates/live-output.js';
import { createOutbox } from './updates/outbox.js';
import { createSessionPlan } from './updates/plan.js';
import { Translation } from './updates/translation.js';
import type { EditorClient } from './wire/peer.js';

export interface SessionNeeds {
  args: Arguments;
  client: EditorClient;
  capabilities: ClientCapabilities;
}

const STOP_LIMIT_MS = 5_000;
const STORE_LIMIT_MS = 20_000;
const TELL_AFTER_MS = 100;
const LIST_LIMIT_MS = 10_000;
const MOST_MODELS = 200;

/** A conversation of an editor. */
export class EditorSession {
  readonly #needs: SessionNeeds;
  readonly #wish: SessionWish;
  readonly #editor: Editor;
  readonly #ask: Ask;
  readonly #translation: Translation;
  readonly #live;
  readonly #plan;
  #prompts = 0;
  /** Notes for the model, sent with the next prompt. */
  readonly #told: string[] = [];
  /** Sentences for the user, said when there is a place for them. */
  readonly #opening: string[] = [];
  #agent: Agent | null = null;
  #setup: Setup | null = null;
  #isTrustSettled = false;
  #models: readonly string[] = [];
  #listing: NodeJS.Timeout | undefined;
  /** Updates that take a while to make. */
  #following: Promise<void> = Promise.resolve();
  #working: { controller: AbortController; ended: Promise<unknown> } | null = null;

  constructor(wish: SessionWish, needs: SessionNeeds) {
    const { client, capabilities } = needs;
    this.#needs = needs;
    this.#wish = wish;
    const { id: sessionId } = wish;
    const outbox = createOutbox((update) => client.notify('session/update', { sessionId, update }));
    const absolute = (path: string): string => this.#absolute(path);
    this.#editor = { client, sessionId, capabilities, outbox, absolute };
    this.#ask = firstUse(async () => (await import('./ask.js')).askInEditor(this.#editor));
    this.#live = createLiveOutput(outbox.send);
    this.#plan = createSessionPlan(outbox.send);
    this.#translation = new Translation({
      absolute,
      contextWindow: () => this.#agent?.model.capabilities?.contextWindow ?? null,
      drawsNotices: Boolean(capabilities.session?.notices),
    });
  }

  get agent(): Agent {
    if (!this.#agent) throw new AcpFailure(codes.internal, 'The session is closed.');
    return this.#agent;
  }

  get isWorking(): boolean {
    return this.#working !== null;
  }

  send(update: SessionUpdate): void {
    this.#editor.outbox.send(update);
  }

  flush(): Promise<void> {
    return this.#editor.outbox.flush();
  }

  /** Opens the agent; a second time under other settings, before anything was said. */
  async open(): Promise<void> {
    const { agent, setup, sentences } = await openEditorAgent(this.#wish, {
      args: this.#needs.args,
      editor: this.#editor,
      ask: this.#ask,
      current: () => this.#agent,
      hear: (event) => this.#hear(event),
      warn: (sentence) => this.send(this.#translation.notice(sentence, 'warning')),
    });
    this.#agent = agent;
    this.#setup = setup;
    this.#opening.push(...sentences);
  }

  /** The plan as an earlier conversation left it. */
  async showPlan(): Promise<void> {
    const items = todoIn(this.agent.messages);
    if (items.length > 0) this.#plan.todo(items);
    await this.#plan.show(this.agent, deadlineIn(STORE_LIMIT_MS));
  }

  /** Sends the greeting once the editor knows the session. */
  greet(): void {
    if (this.#needs.capabilities.session?.notices) this.#sayOpening();
    // The first prompt need not wait for it.
    this.#listing = setTimeout(() => void this.#tellChoices(), TELL_AFTER_MS);
    this.#listing.unref();
  }

  /** The commands, and the models once the server has told them. */
  async #tellChoices(): Promise<void> {
    await this.#tellCommands();
    await this.#listModels();
  }

  async #tellCommands(): Promise<void> {
    const { commandsHere } = await import('./commands.js');
    const availableCommands = await commandsHere(this.#agent);
    this.send({ sessionUpdate: 'available_commands_update', availableCommands });
  }

  #sayOpening(): void {
    for (const sentence of this.#opening.splice(0)) this.send(this.#translation.notice(sentence, 'warning'));
  }

  /** Works on a prompt until the model is done. */
  async prompt(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<StopReason> {
    if (this.#working)
      throw new AcpFailure(
        codes.invalidRequest,
        'This session is already working on a prompt. Wait until it is done, or cancel it.',
      );
    const controller = new AbortController();
    const stop = (): void => controller.abort({ kind: 'user' } satisfies AbortReason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    const working = this.#perform(readPrompt(blocks), controller.signal);
    this.#working = { controller, ended: working.catch(() => undefined) };
    try {
      return await working;
    } catch (error) {
      if (controller.signal.aborted) return 'cancelled';
      throw error;
    } finally {
      this.#working = null;
      signal.removeEventListener('abort', stop);
      this.#live.endAll();
      await this.#following;
      await this.flush();
    }
  }

  async #perform(prompt: ReadPrompt, signal: AbortSignal): Promise<StopReason> {
    await this.#settleTrust(signal);
    this.#sayOpening();
    for (const problem of prompt.problems) this.send(this.#translation.notice(problem, 'warning'));
    const meaning = meaningOf(prompt.text.trim());
    const command = meaning.kind === 'slash' || meaning.kind === 'server-prompt' ? meaning : null;
    const typed = command && { ...command, text: prompt.text.trim() };
    const parts = typed ? await this.#command(typed, signal) : await this.#partsOf(prompt, signal);
    const result = parts && (await this.agent.prompt([...parts, ...this.#news()], signal));
    await this.#plan.show(this.agent, signal);
    if (typed) this.tellConfig();
    if (result) this.#tellTitle(prompt.text);
    return result ? stopReasonOf(result) : signal.aborted ? 'cancelled' : 'end_turn';
  }

  async #command(command: Parameters<typeof performCommand>[0], signal: AbortSignal): Promise<Part[] | null> {
    const { performCommand } = await import('./commands.js');
    const doing = {
      agent: this.agent,
      setup: this.#setup!,
      ask: this.#ask,
      signal,
      args: this.#needs.args,
      tellModel: (note: string) => void this.#told.push(note),
    };
    return performCommand(command, doing, {
      say: (markdown) => this.send(this.#translation.say(markdown)),
      editor: this.#editor,
    });
  }

  async #partsOf({ text, attached }: ReadPrompt, signal: AbortSignal): Promise<Part[]> {
    const { agent } = this;
    const given = await attachedParts(attached, agent, signal);
    if (!text.includes('@')) return [{ text }, ...given];
    const { expandAtFiles } = await import('../conversation/at-files.js');
    const { parts, notes, failure } = await expandAtFiles(text, agent, signal);
    for (const note of failure === undefined ? notes : [...notes, failure])
      this.send(this.#translation.notice(note, 'warning'));
    return [...parts, ...given];
  }

  #news(): Part[] {
    return this.#told.splice(0).map((note) => ({ text: `\n\n[${note}]` }));
  }

  #tellTitle(text: string): void {
    if (this.#prompts > 1 || this.#wish.resumes) return;
    const title = text.replace(/\s+/g, ' ').trim().slice(0, 80);
    this.send({ sessionUpdate: 'session_info_update', title, updatedAt: new Date().toISOString() });
  }

  /** Asks where there is something that trust would turn on, before the first prompt; the answer is kept. */
  async #settleTrust(signal: AbortSignal): Promise<void> {
    const setup = this.#setup;
    if (this.#isTrustSettled || !setup) return;
    const question = setup.trusted ? null : await questionAboutTrust(setup);
    const reply = question && (await this.#ask(question, signal));
    signal.throwIfAborted();
    this.#isTrustSettled = true;
    if (!reply) return;
    const { state } = this.agent;
    const store = openTrustStore(state, { clock: createClock() });
    const limit = deadlineIn(STORE_LIMIT_MS);
    if (reply.key !== 'y') return store.distrustFolder(setup.trust.examination, limit);
    await store.trustFolder(setup.trust.examination, limit);
    const closing = this.agent;
    this.#opening.length = 0;
    await closing.close();
    this.#agent = null;
    await this.open();
    this.tellConfig();
    await this.#tellCommands();
  }

  cancel(): void {
    this.#working?.controller.abort({ kind: 'user' } satisfies AbortReason);
  }

  setMode(mode: unknown): void {
    if (!isMode(mode))
      throw new AcpFailure(
        codes.invalidParams,
        `There is no mode ${JSON.stringify(mode)}. ${modeNames(this.agent)}`,
      );
    this.agent.permission.mode = mode;
    this.tellConfig();
  }

  async configure(id: string, value: unknown): Promise<void> {
    if (id === 'mode') return this.setMode(value);
    const option = this.configOptions.find((each) => each.id === id);
    if (option?.type !== 'select') {
      const known = this.configOptions.map((each) => each.id).join(', ');
      throw new AcpFailure(codes.invalidParams, `There is no option ${id}. The options are ${known}.`);
    }
    const values = option.options.flatMap((each) => ('value' in each ? [each.value] : []));
    if (typeof value !== 'string' || !values.includes(value))
      throw new AcpFailure(codes.invalidParams, `${option.name} can't be ${JSON.stringify(value)}.`);
    const { effort = AS_IT_LIKES } = this.#setup!.loaded.settings.model;
    const { use } = await import('../conversation/commands/model.js');
    const chosen = id === 'model' ? [value, effort] : [this.agent.model.model, value];
    await use({ agent: this.agent, setup: this.#setup! }, chosen[0]!, chosen[1]!);
    this.tellConfig();
  }

  get configOptions(): SessionConfigOption[] {
    return configOptionsOf({ agent: this.agent, setup: this.#setup!, models: this.#models });
  }

  /** Asks the server which models it has; the editor hears of them when it answers. */
  async #listModels(): Promise<void> {
    if (!this.#agent) return;
    const { model } = this.#agent;
    const listed = (await model.list?.(deadlineIn(LIST_LIMIT_MS)).catch(() => [])) ?? [];
    this.#models = listed.slice(0, MOST_MODELS).map(({ name }) => name);
    if (this.#agent && this.#models.length > 0) this.tellConfig();
  }

  tellConfig(): void {
    const { agent } = this;
    this.send({ sessionUpdate: 'current_mode_update', currentModeId: agent.permission.mode });
    this.send({ sessionUpdate: 'config_option_update', configOptions: this.configOptions });
  }

  /** Ends what runs and lets go of everything; what waits apart stays on disk. */
  async close(): Promise<void> {
    const { controller, ended } = this.#working ?? {};
    controller?.abort({ kind: 'shutdown' } satisfies AbortReason);
    if (ended) await withinDeadline(ended, { ms: STOP_LIMIT_MS, clock: createClock() });
    clearTimeout(this.#listing);
    this.#live.endAll();
    const agent = this.#agent;
    this.#agent = null;
    if (!agent) return;
    try {
      if (agent.apart.id !== null) await (await import('../actions/waiting-apart.js')).waitingAtEnd(agent);
    } finally {
      await agent.close();
    }
  }

  #hear(event: AgentEvent): void {
    if (event.type === 'result') this.#prompts += 1;
    if (event.type === 'call-start' && event.tool === 'todo') this.#plan.todo(itemsIn(event.args));
    if (event.type === 'call-update') this.#live.add(event.callId, event.delta);
    if (event.type === 'call-end') this.#live.end(event.callId);
    for (const update of this.#translation.updatesOf(event)) this.send(update);
    if (event.type === 'call-end') this.#following = this.#following.then(() => this.#tellWhole(event));
  }

  /** A diff that was told in words follows as it is. */
  async #tellWhole({ callId, display, error }: Extract<AgentEvent, { type: 'call-end' }>): Promise<void> {
    if (error || typeof display === 'string' || display.kind !== 'diff') return;
    const { isToldInWords, largeDiff } = await import('./updates/large-diffs.js');
    if (!isToldInWords(display) || !this.#agent) return;
    const update = await largeDiff(callId, this.#agent, this.#editor.absolute).catch(() => null);
    if (update) this.send(update);
  }

  #absolute(path: string): string {
    try {
      return this.agent.host.workspace.resolve(path);
    } catch (error) {
      if (isToolError(error)) return path;
      throw error;
    }
  }
}

function modeNames(agent: Agent): string {
  return `The modes are ${modesOf(agent)
    .availableModes.map(({ id }) => id)
    .join(', ')}.`;
}

/** Asks by code that is loaded with the first question. */
function firstUse(open: () => Promise<Ask>): Ask {
  let opened: Promise<Ask> | undefined;
  return async (question, signal) => (await (opened ??= open()))(question, signal);
}

async function questionAboutTrust({ trust }: Setup) {
  const { fingerprint, contextFiles } = trust.examination;
  if (Object.keys(fingerprint).length === 0 && !contextFiles) return null;
  return (await import('../app/asking/trust-question.js')).trustQuestion(trust);
}

function stopReasonOf({ reason, error }: AgentResult): StopReason {
  switch (reason) {
    case 'done':
      return 'end_turn';
    case 'turn-limit':
    case 'call-limit':
    case 'time-limit':
    case 'cost-limit':
      return 'max_turn_requests';
    case 'token-limit':
      return 'max_tokens';
    case 'parked':
    case 'cancelled':
      return 'cancelled';
    case 'failed':
      throw new AcpFailure(codes.internal, error?.message ?? 'The model gave no answer.', {
        kind: error?.kind,
      });
  }
}
