import { type Agent, isToolError, openState, type State } from '@toolwright/core';
import {
  createClock,
  createIds,
  deadlineIn,
  messageOf,
  openPromptHistory,
  openTrustStore,
  otherHomes,
  type PromptHistory,
  usableHome,
  whenAborted,
} from '@toolwright/core/front-end';
import { type ReportItem, textItem } from '../actions/report.js';
import { waitingApart, waitingAtEnd, waitingSentence } from '../actions/waiting-apart.js';
import { trustQuestion } from '../app/asking/trust-question.js';
import { askYesOrNo } from '../app/yes-no.js';
import { confirmAt } from '../ask/confirm.js';
import { elicit, signInText } from '../ask/elicit.js';
import { codeQuestion } from '../ask/other-code.js';
import { exitCodes } from '../base/exit-codes.js';
import { print } from '../base/print.js';
import type { Arguments } from '../command-line/args.js';
import { openAgent, readSetup, type Setup } from '../setup/runtime.js';
import { userRedactor } from '../setup/user-redactor.js';
import type { Front } from '../ui/front.js';
import { openFront } from '../ui/open-front.js';
import { createApartOffer } from './apart-offer.js';
import { foundText, greeting } from './greeting.js';
import { openStatus } from './look/status.js';
import { argumentsNow, firstSession, type OpeningSession, openingOf } from './opening.js';
import { reportBlocks, say } from './say.js';
import type { NextSession } from './slash-context.js';
import { createTurns, type Turns } from './turns.js';
import { openTyping, type TypingHere } from './typing/open-typing.js';

const STORE_LIMIT_MS = 20_000;

/** A conversation at the terminal, until the user ends it. */
export async function converse(args: Arguments): Promise<number> {
  const setup = await readSetup(args);
  const { color, screenReader, theme, colors, notify, mouse } = setup.loaded.settings.ui;
  const front = openFront({
    input: process.stdin,
    output: process.stdout,
    environment: process.env,
    color,
    screenReader,
    theme,
    colors,
    notify,
    mouse,
  });
  const ending = endingOf(front);
  front.start();
  try {
    return await talk(args, { front, ending, setup });
  } finally {
    front.close();
    ending.close();
    if (ending.farewell !== '') print(`${ending.farewell}`);
  }
}

interface Place {
  front: Front;
  ending: Ending;
  setup: Setup;
}

async function talk(args: Arguments, { front, ending, setup: first }: Place): Promise<number> {
  const state = openState({
    path: first.stateFolder,
    host: { clock: createClock(), ids: createIds() },
  });
  if (first.loaded.settings.ui.vim) front.dispatch({ type: 'vim-chosen', isOn: true });
  const offered = await settleImport(args, { front, ending, setup: first }, state);
  let setup = await settleTrust(args, { front, ending, setup: offered }, state);
  if (ending.signal.aborted) return ending.code;
  let opening: OpeningSession | null = await firstSession(args, { front, setup, signal: ending.signal });
  while (opening && !ending.signal.aborted) {
    opening = await converseOnce(opening, { front, ending, setup, state });
    if (opening) {
      front.dispatch({ type: 'session-closed' });
      setup = await readSetup(opening.args);
    }
  }
  return ending.code;
}

/** Holds a session until the conversation ends or goes on with another; null for the end. */
async function converseOnce(
  opening: OpeningSession,
  { front, ending, setup, state }: Place & { state: State },
): Promise<OpeningSession | null> {
  const warnings = opening.isSame ? [] : [...setup.warnings, ...setup.serverWarnings];
  for (const warning of warnings) say(front, warning, 'warning');
  const agent = await openTalkingAgent(opening, { front, setup, state });
  let reason: Parameters<Agent['close']>[0];
  try {
    const history = openPromptHistory(state, userRedactor(setup));
    await welcome(agent, { front, setup, history, opening });
    const status = openStatus(agent, front);
    const reopening = new AbortController();
    let next: NextSession | null = null;
    const turns = createTurns({
      agent,
      setup,
      front,
      history,
      args: () => argumentsNow(opening.args, agent, setup),
      quit: () => ending.end(exitCodes.done),
      onTurnEnd: status.refresh,
      reopen(wanted) {
        next = wanted;
        reopening.abort();
      },
    });
    const typing = await openTyping({ front, agent, state, setup });
    listen(front, { turns, ending, typing });
    front.dispatch({ type: 'ready' });
    if (opening.prompt) front.dispatch({ type: 'prompt-submitted', text: opening.prompt });
    if (opening.prompt) turns.take(opening.prompt);
    else turns.takeQueued();
    await Promise.race([ending.ended, whenAborted(reopening.signal)]);
    status.stop();
    await Promise.all([turns.stop({ isEnd: ending.signal.aborted }), typing.stop()]);
    const args = argumentsNow(opening.args, agent, setup);
    const further = next && !ending.signal.aborted ? openingOf(next, { args, agent }) : null;
    if (agent.apart.id !== null && !further?.isSame) await reviewAtEnd(agent, { front, ending });
    if (further?.isCleared) reason = 'clear';
    else if (!further && !ending.torn.aborted) reason = 'prompt_input_exit';
    if (further) return further;
    if (front.state.prompts > 0)
      ending.farewell += `To continue later: toolwright --resume ${agent.session.id}`;
    return null;
  } finally {
    await agent.close(reason);
  }
}

/** Asks what becomes of the changes that wait, unless the terminal is gone; what stays is told with the command that keeps it. */
async function reviewAtEnd(agent: Agent, { front, ending }: Pick<Place, 'front' | 'ending'>): Promise<void> {
  const { id } = agent.apart;
  const leave = `leave them waiting: toolwright apart keep ${id} keeps them`;
  if (!ending.torn.aborted && (await waitingApart(agent.apart))) {
    const { reviewHere } = await import('./apart.js');
    const asking = { agent, ask: front.ask, signal: ending.torn, leave, tellModel: () => undefined };
    const report = await reviewHere({ ...asking, prefix: 'toolwright ' }).catch((error: unknown) =>
      reportOf(error, ending.torn),
    );
    for (const block of reportBlocks(report)) front.dispatch({ type: 'block-added', block });
  }
  const rest = await waitingAtEnd(agent);
  if (rest) ending.farewell = `${waitingSentence(rest)}\n`;
}

function reportOf(error: unknown, torn: AbortSignal): ReportItem[] {
  if (torn.aborted) return [];
  if (!isToolError(error)) throw error;
  return [textItem(error.message, 'bad')];
}

async function openTalkingAgent(
  { args, startWith, isCleared }: OpeningSession,
  { front, setup, state }: { front: Front; setup: Setup; state: State },
): Promise<Agent> {
  const show = { path: (path: string) => path };
  let opened: Agent | null = null;
  const apartBegan = (): void => front.dispatch({ type: 'apart-began' });
  const { session } = setup.loaded.settings;
  const confirm = confirmAt({
    front,
    offer: session.apart === 'ask' ? createApartOffer(() => opened, apartBegan) : undefined,
    state,
    environment: process.env,
    editor: setup.loaded.settings.ui.editor,
    show: (path) => show.path(path),
  });
  const agent = await openAgent(
    args,
    {
      front: 'interactive',
      startWith,
      isCleared,
      apart: args.switches.has('apart') || session.apart === 'always',
      onCopy: (sentence) => say(front, sentence, 'warning'),
      onEvent: (event) => front.dispatch({ type: 'agent', event }),
      confirm,
      servers: {
        onElicit: (request, signal) => elicit(request, front.ask, signal),
        onOtherCode: (other, signal) => askYesOrNo(codeQuestion(other), front.ask, signal),
        onSignIn: async (request) => say(front, signInText(request), 'warning'),
      },
    },
    setup,
  );
  show.path = agent.host.workspace.show;
  opened = agent;
  if (agent.apart.id !== null) apartBegan();
  return agent;
}

/** Offers the homes of other agents, on a machine without a conversation so far. */
async function settleImport(args: Arguments, { front, ending, setup }: Place, state: State): Promise<Setup> {
  const earlier = await openPromptHistory(state, userRedactor(setup))
    .read()
    .catch(() => []);
  const home = usableHome(process.env);
  const agents = earlier === null && home !== undefined ? otherHomes(home) : [];
  if (home === undefined || agents.length === 0) return setup;
  const { offerImport } = await import('./import/offer-import.js');
  const asking = askingSignal(front, ending);
  const { stateFolder } = setup;
  const isChanged = await offerImport(args, {
    home,
    agents,
    front,
    state,
    stateFolder,
    signal: asking,
  }).catch((error: unknown) => {
    if (!asking.aborted) say(front, `Nothing was imported: ${messageOf(error)}`, 'warning');
    return false;
  });
  return isChanged ? readSetup(args) : setup;
}

/** Aborted when the user cancels a question that comes before the first session, or quits. */
function askingSignal(front: Front, ending: Ending): AbortSignal {
  const asking = new AbortController();
  front.onUser(({ type }) => {
    if (type === 'turn-cancelled') asking.abort();
    if (type === 'quit') ending.end(exitCodes.done);
  });
  return AbortSignal.any([asking.signal, ending.signal]);
}

/** Asks where there is something that trust would turn on; the answer is kept. */
async function settleTrust(args: Arguments, { front, ending, setup }: Place, state: State): Promise<Setup> {
  const question = setup.trusted ? null : trustQuestion(setup.trust);
  if (!question) return setup;
  const reply = await front.ask(question, askingSignal(front, ending));
  if (!reply) return setup;
  const store = openTrustStore(state, { clock: createClock() });
  const limit = deadlineIn(STORE_LIMIT_MS);
  if (reply.key === 'y') await store.trustFolder(setup.trust.examination, limit);
  else await store.distrustFolder(setup.trust.examination, limit);
  return readSetup(args);
}

interface Welcoming {
  front: Front;
  setup: Setup;
  history: PromptHistory;
  opening: OpeningSession;
}

async function welcome(agent: Agent, { front, setup, history, opening }: Welcoming): Promise<void> {
  if (opening.isSame) return;
  for (const notice of agent.notices) say(front, notice, 'warning');
  if (opening.isFurther) return welcomeAgain(agent, front);
  let earlier: string[] | null = [];
  try {
    earlier = await history.read();
  } catch (error) {
    say(front, `Earlier prompts are not available: ${messageOf(error)}`, 'warning');
  }
  if (earlier === null) say(front, await foundText(agent, setup, process.env), 'plain');
  const { firstSteps, untrustedContext } = await import('./first-run.js');
  if (earlier === null) say(front, firstSteps(agent), 'plain');
  const untrusted = await untrustedContext(agent, setup);
  if (untrusted !== null) say(front, untrusted, 'warning');
  if (agent.messages.length > 0) await replay(agent, front);
  say(front, greeting(agent), 'plain');
  front.dispatch({ type: 'history-loaded', entries: earlier ?? [] });
}

/** Greets again when another session of the same conversation begins. */
async function welcomeAgain(agent: Agent, front: Front): Promise<void> {
  if (agent.messages.length > 0) await replay(agent, front);
  say(front, greeting(agent), 'plain');
}

/** Shows the end of an earlier conversation. */
async function replay(agent: Agent, front: Front): Promise<void> {
  const { replayed } = await import('./replay.js');
  for (const block of await replayed(agent, { isLinear: front.isLinear }))
    front.dispatch({ type: 'block-added', block });
}

interface Listening {
  turns: Turns;
  ending: Ending;
  typing: TypingHere;
}

function listen(front: Front, { turns, ending, typing }: Listening): void {
  front.onUser((event) => {
    if (typing.handle(event)) return;
    switch (event.type) {
      case 'prompt-submitted':
        return turns.take(event.text);
      case 'turn-cancelled':
        return turns.cancel();
      case 'calls-cancelled':
        return turns.cancelCalls();
      case 'call-cancelled':
        return turns.cancelCalls(event.callId);
      case 'suspended':
        return void suspend(front);
      case 'quit':
        return ending.end(exitCodes.done);
    }
  });
}

/** The ways a conversation can end, as one. */
interface Ending {
  readonly signal: AbortSignal;
  readonly ended: Promise<void>;
  readonly code: number;
  /** The terminal is gone, or a signal came: nobody can be asked. */
  readonly torn: AbortSignal;
  /** Printed once the terminal is restored. */
  farewell: string;
  end(code: number): void;
  /** Listens to signals no longer. */
  close(): void;
}

function endingOf(front: Front): Ending {
  const controller = new AbortController();
  let code: number = exitCodes.done;
  const end = (reason: number): void => {
    if (controller.signal.aborted) return;
    code = reason;
    controller.abort();
  };
  const torn = new AbortController();
  const stop = (): void => {
    torn.abort();
    end(exitCodes.cancelled);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const name of signals) process.on(name, stop);
  front.onEnd(stop);
  return {
    signal: controller.signal,
    torn: torn.signal,
    ended: whenAborted(controller.signal),
    get code() {
      return code;
    },
    farewell: '',
    end,
    close() {
      for (const name of signals) process.off(name, stop);
    },
  };
}

/** Ctrl+Z: the terminal is given back, and taken again when the job is continued. */
async function suspend(front: Front): Promise<void> {
  await front.lend(async () => {
    // The signal goes to the whole group, as the terminal itself would send it.
    process.kill(0, 'SIGTSTP');
    await new Promise((resolve) => setTimeout(resolve, 50));
  });
}
