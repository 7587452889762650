import { describeHook, type Hook, type HookEvent } from './hook.js';
import { answerOf, type HookAnswer, type HookRun } from './hook-answer.js';
import { meetsCondition } from './hook-condition.js';
import { hookInputOf, hookNamesOf, matchedName, type NamedTool } from './hook-names.js';

/** A hook with what it answered. */
export interface AskedHook extends HookAnswer {
  hook: Hook;
}

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
  run(hook: Hook, input: string, signal: AbortSignal): Promise<HookRun>;
  /** Holds the hooks that nobody waits for. */
  started: StartedHooks;
}

/** A call as hooks are asked about it. */
export interface HookedTool extends NamedTool {
  callId: string;
  params: Record<string, unknown>;
  /** Files that the call changes, where its parameters name none: hooks are asked about each, as `file_path`. */
  files?: readonly string[] | undefined;
}

/** Hooks of one session. */
export interface AskHooks {
  readonly hooks: readonly Hook[];
  /** Holds the hooks that nobody waits for. */
  readonly started: StartedHooks;
  /** Gives the hooks that are asked about a call of the tool. */
  about(event: HookEvent, tool: NamedTool): Hook[];
  /**
   * Asks those about a tool, one after the other: what one changes the next one sees. The first that denies ends it.
   * `more` are members of the input.
   */
  aboutTool(event: HookEvent, tool: HookedTool, signal: AbortSignal, more?: object): Promise<AskedHook[]>;
  /** Tells those about anything else. */
  tell(
    event: HookEvent,
    about: { matched?: string; more?: object },
    signal: AbortSignal,
  ): Promise<AskedHook[]>;
}

export function createAskHooks(needs: AskHooksNeeds): AskHooks {
  const of = (event: HookEvent): Hook[] => needs.hooks.filter((hook) => hook.event === event);
  const ask = async (hook: Hook, input: object, signal: AbortSignal): Promise<AskedHook> => {
    const text = JSON.stringify({ ...inputOf(hook.event, needs), ...input });
    if (hook.isAsync) return { hook, ...needs.started.start(hook, text) };
    const run = await needs.run(hook, text, signal);
    return { hook, ...answerOf(hook.event, run) };
  };
  const nameFor = ({ matcher, names }: Hook, tool: NamedTool) =>
    matchedName(matcher, hookNamesOf(tool, names));
  return {
    hooks: needs.hooks,
    started: needs.started,
    about: (event, tool) => of(event).filter((hook) => nameFor(hook, tool) !== null),
    async aboutTool(event, tool, signal, more = {}) {
      const answers: AskedHook[] = [];
      let { params } = tool;
      for (const hook of of(event)) {
        const name = nameFor(hook, tool);
        if (name === null) continue;
        for (const file of tool.files?.length ? tool.files : [null]) {
          const asked = withFile(params, file);
          if (
            hook.condition !== undefined &&
            !meetsCondition(hook.condition, { name: tool.name, params: asked })
          )
            continue;
          const tool_input = hookInputOf(tool.name, asked, hook.names);
          const given = { tool_name: name, tool_input, tool_use_id: tool.callId, ...more };
          const answer = withoutFile(await ask(hook, given, signal), file);
          answers.push(answer);
          if (answer.decision === 'deny') return answers;
          params = answer.input ?? params;
        }
      }
      return answers;
    },
    async tell(event, { matched = '', more = {} }, signal) {
      const meant = of(event).filter(({ matcher }) => matchedName(matcher, [matched]) !== null);
      return Promise.all(meant.map((hook) => ask(hook, more, signal)));
    },
  };
}

function withFile(params: Record<string, unknown>, file: string | null): Record<string, unknown> {
  return file === null ? params : { ...params, file_path: file };
}

/** The answer without the file that was added to what the hook was asked. */
function withoutFile(answer: AskedHook, file: string | null): AskedHook {
  if (file === null || answer.input === undefined) return answer;
  const { file_path: _added, ...input } = answer.input;
  return { ...answer, input };
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
  return answers.flatMap(({ hook, message, failure }) => [
    ...(message ? [`The hook ${describeHook(hook)} says: ${message}`] : []),
    ...(failure ? [`The hook ${describeHook(hook)} failed: ${failure}.`] : []),
  ]);
}

/** Texts for the model, or null. */
export function contextOf(answers: readonly AskedHook[]): string | null {
  const texts = answers.flatMap(({ context }) => context ?? []);
  return texts.length === 0 ? null : `[From a hook of the user]\n${texts.join('\n\n')}`;
}
