import { isToolError, type Toolbox } from '@toolwright/core';
import {
  type AskedHook,
  describeHook,
  describePieceProblem,
  didYouMean,
  type Hook,
  type HookEvent,
  hookEvents,
  nearest,
  plural,
  readHooks,
  sampleForHooks,
  terminalSafeLine,
} from '@toolwright/core/front-end';
import { describeHooks } from '../actions/describe-hooks.js';
import { exitCodes, UsageError } from '../base/exit-codes.js';
import { abortOnInterrupt } from '../base/interrupts.js';
import { print, printJson, printLine } from '../base/print.js';
import { type Arguments, refuseFurther } from '../command-line/args.js';
import type { Flag } from '../command-line/flags.js';
import { hookFiles } from '../setup/pieces.js';
import { loadSetup, withToolbox } from '../setup/runtime.js';
import { defineCommandGroup } from './command.js';

const flags: readonly Flag[] = [
  {
    name: 'tool',
    value: 'NAME',
    help: 'With try: the tool of the sample call (default: run_shell_command).',
  },
  { name: 'args', value: 'JSON', help: 'With try: the arguments of the sample call.' },
  { name: 'about', value: 'NAME', help: 'With try: what another event is about, such as clear or an agent.' },
  { name: 'text', value: 'TEXT', help: 'With try UserPromptSubmit: the prompt.' },
  { name: 'json', help: 'Print JSON.' },
];

export const run = defineCommandGroup({
  name: 'hooks',
  usage: `  toolwright hooks list [--json]                  the hooks in effect here, and what is wrong with the others
  toolwright hooks check                          what is wrong with files of hooks; ends with 1 if anything is
  toolwright hooks try EVENT [--tool NAME] [--args JSON]   run the hooks of an event with a sample, and show what they would do; --about NAME for another kind`,
  flags,
  actions: {
    async list(words, args) {
      refuseFurther(words, 'hooks list');
      const { hooks, off } = await readAll(args);
      if (args.switches.has('json')) printJson({ v: 1, hooks, off }, 2);
      else print([describeHooks(hooks), ...off.map((problem) => `Off: ${problem}`)].join('\n'));
      return exitCodes.done;
    },
    async check(words, args) {
      refuseFurther(words, 'hooks check');
      const { hooks, off } = await readAll(args);
      if (args.switches.has('json')) printJson({ v: 1, hooks: hooks.length, off }, 2);
      else
        print(
          [...off.map((problem) => `Off: ${problem}`), `${plural(hooks.length, 'hook')} in effect.`].join(
            '\n',
          ),
        );
      return off.length > 0 ? exitCodes.failure : exitCodes.done;
    },
    async try([event, ...further], args) {
      refuseFurther(further, 'hooks try EVENT');
      return tryHooks(eventOf(event), args);
    },
  },
});

async function readAll(args: Arguments): Promise<{ hooks: Hook[]; off: string[] }> {
  const read = await Promise.all(hookFiles(await loadSetup(args)).map(readHooks));
  return {
    hooks: read.flatMap((each) => each.hooks),
    off: read.flatMap((each) => each.problems).map(describePieceProblem),
  };
}

function eventOf(written: string | undefined): HookEvent {
  const event = hookEvents.find((each) => each === written);
  if (event) return event;
  const hint = written === undefined ? '' : didYouMean(nearest(written, hookEvents, 1));
  throw new UsageError(`hooks try needs an event: ${hookEvents.join(', ')}. ${hint}`.trim());
}

async function tryHooks(event: HookEvent, args: Arguments): Promise<number> {
  const signal = abortOnInterrupt();
  return withToolbox(args, { front: 'hooks try', mayAsk: false }, async (toolbox) => {
    const answers = await ask(event, args, { toolbox, signal });
    if (args.switches.has('json')) printJson(answers.map(answerJson), 2);
    else if (answers.length === 0) print(nothingApplied(event));
    else for (const answer of answers) print(describeAnswer(event, answer, toolbox.host.workspace));
    await toolbox.pieces.hooks?.started.settled();
    return exitCodes.done;
  });
}

/** Those of calls apply by the tool of the sample, which the user can choose. */
function nothingApplied(event: HookEvent): string {
  const other = event in samples ? '' : ' To try another tool: --tool write_file.';
  return `No hook of ${event} applies here. toolwright hooks list shows them.${other}`;
}

/** Samples of events other than calls: what they are about unless `--about` says otherwise, and the members of the input. */
const samples: Partial<Record<HookEvent, { matched?: string; more(matched: string): object }>> = {
  SessionStart: { matched: 'startup', more: (source) => ({ source }) },
  SessionEnd: { matched: 'other', more: (reason) => ({ reason }) },
  UserPromptSubmit: { more: () => ({ prompt: 'a sample prompt' }) },
  Stop: { more: () => ({ stop_hook_active: false }) },
  SubagentStop: {
    matched: 'general',
    more: (agent) => ({ agent_type: agent, agent_id: 'sample', stop_hook_active: false }),
  },
  PreCompact: { matched: 'auto', more: (trigger) => ({ trigger, custom_instructions: '' }) },
  Notification: {
    matched: 'permission_prompt',
    more: (kind) => ({ message: 'Toolwright asks: echo sample', notification_type: kind }),
  },
};

async function ask(
  event: HookEvent,
  args: Arguments,
  { toolbox, signal }: { toolbox: Toolbox; signal: AbortSignal },
): Promise<AskedHook[]> {
  const { hooks } = toolbox.pieces;
  if (!hooks) return [];
  const text = args.values.get('text');
  const sample = samples[event];
  const about = args.values.get('about');
  if (about !== undefined && sample?.matched === undefined)
    throw new UsageError(`--about says nothing of ${event}.`);
  if (sample) {
    const matched = about ?? sample.matched;
    const more = sample.more(matched ?? '');
    return hooks.tell(
      event,
      { matched, more: text === undefined ? more : { ...more, prompt: text } },
      signal,
    );
  }
  const name = args.values.get('tool') ?? 'run_shell_command';
  const params = paramsOf(args, name);
  printLine(`sample: ${name} ${JSON.stringify(params)}`);
  // Only some families of models have patches, and this sample is a call of one of them.
  if (name === 'apply_patch') toolbox.fitModel({ model: 'gpt-5', takesPdf: false });
  const call = { id: 'sample', name, arguments: params };
  const sampleCall = await sampleForHooks(call, toolbox.registry).catch((error: unknown) => {
    if (!isToolError(error)) throw error;
    throw new UsageError(`The sample is no call, so no hook would be asked: ${error.message}`);
  });
  const more = event === 'PostToolUse' ? { tool_response: { output: 'a sample', success: true } } : {};
  const { answers } = await hooks.aboutTool(event, sampleCall, signal, { more });
  return answers;
}

function paramsOf(args: Arguments, tool: string): Record<string, unknown> {
  const written = args.values.get('args');
  if (written === undefined) return tool === 'run_shell_command' ? { command: 'echo sample' } : {};
  try {
    return JSON.parse(written) as Record<string, unknown>;
  } catch {
    throw new UsageError('--args must be one JSON object.');
  }
}

function answerJson({ hook, ...answer }: AskedHook): object {
  return { hook: describeHook(hook), ...answer };
}

function describeAnswer(
  event: HookEvent,
  { hook, file, decision, reason, input, context, message, failure }: AskedHook,
  workspace: { show(path: string): string },
): string {
  const lines = [
    ...(failure ? [`  failed: ${failure}`] : []),
    ...(decision === 'deny' ? [`  ${refusals[event] ?? 'objects, which changes nothing'}: ${reason}`] : []),
    ...(decision === 'ask' ? [`  would ask the user: ${reason}`] : []),
    ...(input
      ? [`  would change the arguments to ${JSON.stringify(input)}, which are checked and judged again`]
      : []),
    ...(context
      ? [
          `  ${hook.isAsync || !toldToModel.includes(event) ? `has text for the model, which ${event} does not pass on` : 'would tell the model'}: ${context}`,
        ]
      : []),
    ...(message ? [`  would tell you: ${message}`] : []),
  ];
  const silent = hook.isAsync
    ? '  runs in the background: whatever it says decides nothing'
    : '  says nothing: rules and modes decide as if it were not there';
  const about = file === undefined ? '' : `, about ${terminalSafeLine(workspace.show(file))}`;
  return [`${describeHook(hook)}${about}`, ...(lines.length > 0 ? lines : [silent])].join('\n');
}

const refusals: Partial<Record<HookEvent, string>> = {
  PreToolUse: 'would refuse the call',
  UserPromptSubmit: 'would keep the prompt from being sent',
  SessionStart: 'would keep the first prompt from being sent',
  PostToolUse: 'would object to the model',
  Stop: 'would make the model continue',
};

/** The events whose text for the model reaches it. */
const toldToModel: readonly HookEvent[] = ['PostToolUse', 'UserPromptSubmit', 'SessionStart'];
