import {
  type AbortReason,
  type Agent,
  type FurtherPrompt,
  isToolError,
  type Part,
  type SettledCall,
  textOf,
} from '@toolwright/core';
import { createClock, deadlineIn, type PromptHistory, withinDeadline } from '@toolwright/core/front-end';
import { meaningOf } from '../app/line-meaning.js';
import { unfoldedText } from '../app/typing/paste.js';
import { logInternalError } from '../base/internal-error.js';
import type { Arguments } from '../command-line/args.js';
import type { Setup } from '../setup/runtime.js';
import type { Front } from '../ui/front.js';
import { expandAtFiles } from './at-files.js';
import { reportBlocks, say } from './say.js';
import { quitNames, runSlash, slashNames } from './slash-commands.js';
import type { NextSession, SlashContext } from './slash-context.js';
import type { Attached } from './typing/attachments.js';

/** Performs the lines that the user submits, one after the other. */
export interface Turns {
  take(text: string): void;
  /** Takes what was queued in the session before. */
  takeQueued(): void;
  cancel(): void;
  /** Cancels the calls that run, or one of them; the model goes on. */
  cancelCalls(callId?: string): void;
  /** Ends what runs, at most after a few seconds. */
  stop(how: { isEnd: boolean }): Promise<void>;
}

export interface TurnsOptions {
  agent: Agent;
  setup: Setup;
  front: Front;
  history: PromptHistory;
  /** The command line, with what was chosen since. */
  args(): Arguments;
  quit(): void;
  /** Goes on with another session. */
  reopen(next: NextSession): void;
  /** Something may have changed that the status tells. */
  onTurnEnd?(): void;
}

const HISTORY_LIMIT_MS = 10_000;
const STOP_LIMIT_MS = 5_000;

export function createTurns(options: TurnsOptions): Turns {
  const { front, quit } = options;
  const runner = createRunner(options, takeQueued);
  const saver = createSaver(options.history);
  let stopped = false;

  /** Sends the queued messages as if they were typed now. */
  function takeQueued(): void {
    const [next] = front.state.working.queue;
    if (!next || stopped || runner.isLeaving) return;
    front.dispatch({ type: 'queue-shifted' });
    front.dispatch({ type: 'prompt-submitted', text: next.text });
    take(next.text);
  }
  function take(typed: string): void {
    const text = unfoldedText(typed, front.state.typing.folded);
    saver.save(text);
    const meaning = meaningOf(text);
    if (meaning.kind === 'slash' && quitNames.includes(meaning.name)) quit();
    else runner.run(text);
  }

  return {
    take,
    takeQueued,
    cancelCalls: (callId) => options.agent.scheduler.cancelCalls(callId),
    cancel: () => runner.abort({ kind: 'user' }),
    async stop({ isEnd }) {
      stopped = true;
      // A command that leads to another session ends by itself.
      if (isEnd) runner.abort({ kind: 'shutdown' });
      const ended = Promise.allSettled([runner.ended(), saver.saved()]);
      await withinDeadline(ended, { ms: STOP_LIMIT_MS, clock: createClock() });
    },
  };
}

interface Runner {
  run(text: string): void;
  abort(reason: AbortReason): void;
  /** Resolves when nothing runs any more. */
  ended(): Promise<void>;
  /** True while another session takes the place of this one. */
  readonly isLeaving: boolean;
}

function createRunner(options: TurnsOptions, onEnd: () => void): Runner {
  const { front } = options;
  /** Notes for the model, sent with the next prompt. */
  const told: string[] = [];
  let controller: AbortController | undefined;
  let running: Promise<void> = Promise.resolve();
  let isLeaving = false;
  const reopen = (next: NextSession): void => {
    isLeaving = true;
    options.reopen(next);
  };

  async function run(text: string, signal: AbortSignal): Promise<void> {
    const stopTicking = tickSeconds(front);
    try {
      await perform(text, { ...options, reopen, told, signal }).catch((error) => sayFailure(front, error));
    } finally {
      stopTicking();
      // The line takes nothing more until the next session is there to do it.
      front.dispatch({ type: isLeaving ? 'session-closed' : 'turn-ended' });
      options.onTurnEnd?.();
      onEnd();
    }
  }

  return {
    run(text) {
      controller = new AbortController();
      running = run(text, controller.signal);
    },
    abort: (reason) => controller?.abort(reason),
    ended: () => running,
    get isLeaving() {
      return isLeaving;
    },
  };
}

/** Prompts are saved one after the other; one that can't be is forgotten. */
function createSaver(history: PromptHistory): { save(text: string): void; saved(): Promise<unknown> } {
  let saving: Promise<unknown> = Promise.resolve();
  return {
    save(text) {
      saving = saving.then(() => history.add(text, deadlineIn(HISTORY_LIMIT_MS)).catch(() => undefined));
    },
    saved: () => saving,
  };
}

async function sayFailure(front: Front, error: unknown): Promise<void> {
  say(front, isToolError(error) ? error.message : await logInternalError(error), 'bad');
}

/** Shows how long a turn takes; the answer ends it. */
function tickSeconds(front: Front): () => void {
  const began = Date.now();
  const tell = (): void =>
    front.dispatch({ type: 'ticked', seconds: Math.round((Date.now() - began) / 1000) });
  const ticking = setInterval(tell, 1_000);
  return () => clearInterval(ticking);
}

type Performing = TurnsOptions & { told: string[]; signal: AbortSignal };

async function perform(text: string, doing: Performing): Promise<void> {
  const meaning = meaningOf(text);
  if (text.startsWith('/') && (await answerCustom(text, doing))) return;
  switch (meaning.kind) {
    case 'prompt':
      return answer(meaning.text, doing);
    case 'server-prompt':
      return answerServerPrompt(meaning, doing);
    case 'shell':
      return runOwn(meaning.command, doing);
    case 'fact':
      return remember(meaning.fact, doing);
    case 'slash': {
      const { front, agent, told } = doing;
      const context: SlashContext = {
        ...doing,
        args: doing.args(),
        ask: front.ask,
        tellModel: (note) => void told.push(note),
        prompt: (prompt) => answer(prompt, doing),
      };
      const report = await runSlash(meaning.name, meaning.rest, context);
      for (const block of reportBlocks(report)) front.dispatch({ type: 'block-added', block });
      if (agent.apart.id !== null) front.dispatch({ type: 'apart-began' });
    }
  }
}

async function answer(text: string, { agent, front, told, signal }: Performing): Promise<void> {
  const { parts, notes } = await expandAtFiles(text, agent, signal);
  const images = await imagesOf(text, { front, signal });
  for (const note of [...notes, ...images.notes]) say(front, note, 'warning');
  await agent.prompt([...parts, ...images.parts, ...newsOf(told)], signal, {
    between: steering({ agent, front }),
  });
}

/** Hands over what the user wrote while the model worked, and wants it to know before it goes on. */
function steering({
  agent,
  front,
}: Pick<Performing, 'agent' | 'front'>): (signal: AbortSignal) => Promise<FurtherPrompt[] | null> {
  return async (signal) => {
    const steers = front.state.working.queue.filter(
      (message) => message.steers && meaningOf(message.text).kind === 'prompt',
    );
    if (steers.length === 0) return null;
    const texts = steers.map(({ text }) => text);
    front.dispatch({ type: 'messages-going', texts });
    return Promise.all(
      texts.map(async (text) => {
        const whole = unfoldedText(text, front.state.typing.folded);
        const { parts, notes } = await expandAtFiles(whole, agent, signal);
        const onEnd = (refused: string | null): void => {
          const isSent = refused === null;
          front.dispatch(
            isSent ? { type: 'messages-sent', texts: [text] } : { type: 'message-refused', text },
          );
          for (const note of isSent ? notes : []) say(front, note, 'warning');
        };
        return { parts, onEnd };
      }),
    );
  };
}

async function imagesOf(
  text: string,
  { front, signal }: Pick<Performing, 'front' | 'signal'>,
): Promise<Attached> {
  const { folded } = front.state.typing;
  if (!folded.some(({ kind }) => kind === 'image')) return { parts: [], notes: [] };
  const { attachedImages } = await import('./typing/attachments.js');
  return attachedImages(text, folded, signal);
}

/** `#fact`: the user says where it is kept. */
async function remember(fact: string, { agent, setup, front, signal }: Performing): Promise<void> {
  const { rememberFact } = await import('../actions/memory.js');
  const { chooseScope } = await import('./typing/fact-scope.js');
  const scope = await chooseScope(front, fact, signal);
  if (!scope) return say(front, 'Nothing was remembered.', 'plain');
  const report = await rememberFact(agent, setup, { fact, scope, signal });
  for (const block of reportBlocks(report)) front.dispatch({ type: 'block-added', block });
}

/** A prompt that an MCP server offers, filled in with what was typed after it. */
async function answerServerPrompt(
  wanted: { server: string; prompt: string; rest: string },
  { agent, front, told, signal }: Performing,
): Promise<void> {
  const { expandServerPrompt } = await import('./servers/prompts.js');
  const expanded = await expandServerPrompt(wanted, agent.mcp, signal);
  if ('problem' in expanded) return say(front, expanded.problem, 'warning');
  for (const note of expanded.notes) say(front, note, 'warning');
  await agent.prompt([...expanded.parts, ...newsOf(told)], signal, { between: steering({ agent, front }) });
}

/** A command of the user's own, or of a project: false when there is none of this name. */
async function answerCustom(text: string, { agent, front, told, signal }: Performing): Promise<boolean> {
  if (agent.mcp?.servers.some(({ config }) => text.startsWith(`/${config.alias}:`))) return false;
  const { expandCustom } = await import('./custom-commands.js');
  const expanded = await expandCustom(text, slashNames, { toolbox: agent, signal });
  if (!expanded) return false;
  if ('problem' in expanded) {
    say(front, expanded.problem, 'warning');
    return true;
  }
  for (const note of expanded.notes) say(front, note, 'warning');
  await agent.prompt([...expanded.parts, ...newsOf(told)], signal, { between: steering({ agent, front }) });
  return true;
}

/** Notes for the model as parts of the next prompt. */
function newsOf(told: string[]): Part[] {
  return told.splice(0).map((note) => ({ text: `\n\n[${note}]` }));
}

/** Runs a command of the user in the flow of a call; the model hears of it with the next prompt. */
async function runOwn(command: string, { agent, front, told, signal }: Performing): Promise<void> {
  if (!agent.registry.getTool('run_shell_command')) {
    say(front, 'Running commands is not available in this version.', 'warning');
    return;
  }
  const call = { id: '', name: 'run_shell_command', arguments: { command } };
  const [settled] = (await agent.scheduler.run([call], signal, {
    by: 'user',
    unheard: true,
  })) as [SettledCall];
  told.push(`The user ran a command.\n$ ${command}\n${textOf(settled.llmContent)}`);
}
