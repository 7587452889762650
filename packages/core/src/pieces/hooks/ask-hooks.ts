import { isToolError } from '@toolwright/machine/base/errors.js';
import {
  type AskedAboutTool,
  type AskedHook,
  askAboutTool,
  eachFileOf,
  type HookedTool,
} from './ask-about-tool.js';
import { describeHook, type Hook, type HookEvent, type HookFormat } from './hook.js';
import { answerOf, type HookAnswer, type HookRun } from './hook-answer.js';
import { meetsCondition } from './hook-condition.js';
import { hookInputOf, paramsOfHook } from './hook-input.js';
import { hookNamesOf, matchedName, type NamedTool } from './hook-names.js';

/** Hooks that are started and not waited for. */
export interface StartedHooks {
  /** Gives the answer at once, which decides nothing. */
  start(hook: Hook, input: string): HookAnswer;
  /** Waits until none runs any more. */
  settled(): Promise<void>;
  /** Gives those that still run a moment, then ends them. */
  close(): Promise<void>;
}

export interface HookFacts {
  sessionId: string;
  journalPath: string;
  workspace: string;
  mode(): string;
}

export interface AskHooksNeeds extends HookFacts {
  hooks: readonly Hook[];
  /** Starts a hook; `call` stands for the call that it is asked about. */
  run(hook: Hook, input: string, signal: AbortSignal, call?: object): Promise<HookRun>;
  /** Holds the hooks that nobody waits for. */
  started: StartedHooks;
}

export interface AboutToolOptions {
  /** Members of the input. */
  more?: object;
  /** Checks the arguments of a hook; null where they make no call. */
  changed?(input: Record<string, unknown>): Promise<HookedTool | null>;
}

/** Hooks of one session. */
export interface AskHooks {
  readonly hooks: readonly Hook[];
  /** Holds the hooks that nobody waits for. */
  readonly started: StartedHooks;
  /** Gives the hooks that are asked about a call of the tool. */
  about(event: HookEvent, tool: NamedTool): Hook[];
  /** Those of them whose conditions the call meets as it is. */
  wouldAsk(event: HookEvent, tool: HookedTool): Hook[];
  /** Asks those about a tool; see `askAboutTool`. */
  aboutTool(
    event: HookEvent,
    tool: HookedTool,
    signal: AbortSignal,
    options?: AboutToolOptions,
  ): Promise<AskedAboutTool>;
  /** Tells those about anything else. */
  tell(
    event: HookEvent,
    about: { matched?: string; more?: object },
    signal: AbortSignal,
  ): Promise<AskedHook[]>;
}

export function createAskHooks(needs: AskHooksNeeds): AskHooks {
  const of = (event: HookEvent): Hook[] => needs.hooks.filter((hook) => hook.event === event);
  const ask = async (hook: Hook, input: object, signal: AbortSignal, call?: object): Promise<AskedHook> => {
    const text = JSON.stringify({ ...inputOf(hook.event, needs), ...input });
    if (hook.isAsync) return { hook, ...needs.started.start(hook, text) };
    const run = await needs.run(hook, text, signal, call);
    return { hook, ...answerOf(hook.event, run) };
  };
  const nameFor = ({ matcher, names }: Hook, tool: NamedTool) =>
    matchedName(matcher, hookNamesOf(tool, names));
  const meets = ({ condition }: Hook, tool: HookedTool): boolean =>
    condition === undefined || meetsCondition(condition, tool, needs.workspace);
  return {
    hooks: needs.hooks,
    started: needs.started,
    about: (event, tool) => of(event).filter((hook) => nameFor(hook, tool) !== null),
    wouldAsk: (event, tool) =>
      of(event).filter(
        (hook) => nameFor(hook, tool) !== null && eachFileOf(tool).some((about) => meets(hook, about)),
      ),
    aboutTool(event, tool, signal, { more = {}, changed = plainly(tool) } = {}) {
      return askAboutTool(of(event), tool, {
        changed,
        event,
        isAbout: (hook, now) => nameFor(hook, now) !== null,
        meets: (hook, now) => meets(hook, now),
        async ask(hook, now) {
          signal.throwIfAborted();
          const tool_input = hookInputOf(now, { names: hook.names, workspace: needs.workspace });
          const given = { tool_name: nameFor(hook, now), tool_input, tool_use_id: now.callId, ...more };
          return withOurParams(await ask(hook, given, signal, tool), now, hook.names);
        },
      });
    },
    async tell(event, { matched = '', more = {} }, signal) {
      const meant = of(event).filter(({ matcher }) => matchedName(matcher, [matched]) !== null);
      return Promise.all(meant.map((hook) => ask(hook, more, signal)));
    },
  };
}

/** Arguments that can't be had by our names end the call: without them it would not be what the hook lets through. */
function withOurParams(answer: AskedHook, tool: NamedTool, names: HookFormat): AskedHook {
  try {
    return { ...answer, input: answer.input && paramsOfHook(tool, answer.input, names) };
  } catch (error) {
    if (!isToolError(error)) throw error;
    return { ...answer, input: undefined, decision: 'deny', reason: error.message };
  }
}

/** The call with other arguments, which nobody checks. */
function plainly(tool: HookedTool): NonNullable<AboutToolOptions['changed']> {
  return async (params) => ({ ...tool, params });
}

/** Names of modes as the hooks of others know them. */
const modeNames: Record<string, string> = {
  plan: 'plan',
  default: 'default',
  'auto-edit': 'acceptEdits',
  yolo: 'bypassPermissions',
};

function inputOf(event: HookEvent, { sessionId, journalPath, workspace, mode }: HookFacts): object {
  return {
    session_id: sessionId,
    transcript_path: journalPath,
    cwd: workspace,
    permission_mode: modeNames[mode()] ?? mode(),
    hook_event_name: event,
    timestamp: new Date().toISOString(),
  };
}

/** Sentences for the user about what hooks said, and about hooks that failed. */
export function messagesOf(answers: readonly AskedHook[]): string[] {
  const sentences = answers.flatMap(({ hook, message, failure }) => [
    ...(message ? [`The hook ${describeHook(hook)} says: ${message}`] : []),
    ...(failure ? [`The hook ${describeHook(hook)} failed: ${failure}.`] : []),
  ]);
  return [...new Set(sentences)];
}

/** Texts for the model, or null. */
export function contextOf(answers: readonly AskedHook[]): string | null {
  const texts = answers.flatMap(({ context }) => context ?? []);
  return texts.length === 0 ? null : `[From a hook of the user]\n${texts.join('\n\n')}`;
}
