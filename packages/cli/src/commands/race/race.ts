import { availableParallelism } from 'node:os';
import {
  createWorkspace,
  freeMemory,
  plural,
  type Race,
  type Runner,
  type RunnerOptions,
  runRace,
  sideBySide,
} from '@toolwright/core/front-end';
import { exitCodeOf, exitCodes, UsageError } from '../../base/exit-codes.js';
import { abortOnInterrupt } from '../../base/interrupts.js';
import { isStdinTerminal, pipedText } from '../../base/read-stdin.js';
import { type Arguments, refuseFurther } from '../../command-line/args.js';
import { type Flag, permissionFlags, promptFlags } from '../../command-line/flags.js';
import { loadSetup, openAgent, readSetup, type Setup } from '../../setup/runtime.js';
import { openRaceScreen, type RaceScreen } from '../../ui/race-screen.js';
import { defineCommand } from '../command.js';
import { withFiles } from '../prompt/headless-run.js';
import { printRaceJson, printResults } from './print.js';
import { type SettledRace, settle } from './settle.js';

const passedOn = ['max-turns', 'provider', 'model', 'base-url'];

const flags: readonly Flag[] = [
  {
    name: 'sessions',
    short: 'n',
    value: 'N',
    help: 'Number of sessions (default: 3, or one for each model).',
  },
  {
    name: 'models',
    value: 'A,B,C',
    list: true,
    help: 'The models of the sessions; with more sessions than models, the list starts over.',
  },
  {
    name: 'check',
    value: 'COMMAND',
    help: "Run this in each session's view when the session is done; exit code 0 means that the work passed.",
  },
  { name: 'check-limit', value: 'SECONDS', help: 'End a check that takes longer (default: 600).' },
  {
    name: 'keep',
    value: 'best',
    choices: ['best'],
    help: 'Keep the best without a question: the check passed, then the smallest change.',
  },
  {
    name: 'leave-others',
    help: 'When one session is kept, keep the others waiting instead of dropping them.',
  },
  {
    name: 'at-once',
    value: 'N',
    help: 'Maximum number of sessions at a time (default: what this machine can run).',
  },
  { name: 'json', help: 'Print the results as JSON on standard output.' },
  ...permissionFlags,
  ...promptFlags.filter(({ name }) => passedOn.includes(name)),
];

const usage = `  toolwright race "PROMPT" -n 3 --check 'npm test'   the same prompt in three sessions apart, side by side
  toolwright race "PROMPT" --models A,B,C             one session for each model
  toolwright race "PROMPT" --keep best --check CMD    for scripts: keep the best

Each session works on a view of its own; this folder is as it was until you keep one. At a terminal you see a
table while they run, then choose one or none. The sessions that were not chosen are dropped once one is kept,
unless --leave-others. Without a terminal and without --keep nothing is kept: the sessions wait, and
toolwright apart keep ID keeps one. Nobody is asked while they run: a call that would need a question is refused.

It exits with 0 when one session came to its end, else as -p would for the first one; 1 when --keep best kept
nothing, 130 when it was cancelled.`;

export const run = defineCommand({ usage, flags, run: race });

/** The race that the command line asks for. */
interface Plan {
  prompt: string;
  models: (string | undefined)[];
  check?: { command: string; limitMs: number };
  atOnce: number | null;
}

async function race(args: Arguments): Promise<number> {
  const plan = await planOf(args);
  const signal = abortOnInterrupt();
  const setup = await loadSetup(args);
  const over = await runOnScreen(plan, { args, setup, signal });
  try {
    const isJson = args.switches.has('json');
    if (!isJson) printResults(over.state, { isChecked: plan.check !== undefined });
    const { show } = createWorkspace({ directory: setup.workspace });
    const settled = await settle(over, { args, show, ui: setup.loaded.settings.ui, signal });
    if (isJson) printRaceJson(over, { ...plan, ...settled });
    return exitCodeOfRace(over, settled, signal);
  } finally {
    await over.close();
  }
}

const DEFAULT_SESSIONS = 3;
const MOST_SESSIONS = 20;
const DEFAULT_CHECK_LIMIT_S = 600;

async function planOf(args: Arguments): Promise<Plan> {
  const { values, lists, words } = args;
  const [given, ...further] = words;
  refuseFurther(further, 'race "PROMPT"');
  const piped = isStdinTerminal() ? '' : await pipedText({ isOptional: given !== undefined });
  const prompt = [given ?? '', piped].filter((text) => text.trim() !== '').join('\n\n');
  if (prompt === '') throw new UsageError('race needs a prompt: toolwright race "make the tests pass" -n 3.');
  const models = lists.get('models') ?? [];
  if (models.length > 0 && values.has('model')) throw new UsageError('Give --model or --models, not both.');
  const sessions = countIn(args, 'sessions', MOST_SESSIONS) ?? (models.length || DEFAULT_SESSIONS);
  if (sessions < models.length)
    throw new UsageError(
      `--models names ${models.length} models, but -n allows ${plural(sessions, 'session')}.`,
    );
  const command = values.get('check');
  const limitS = countIn(args, 'check-limit', 86_400) ?? DEFAULT_CHECK_LIMIT_S;
  return {
    prompt,
    models: Array.from({ length: sessions }, (_, index) => models[index % models.length]),
    check: command === undefined ? undefined : { command, limitMs: limitS * 1_000 },
    atOnce: countIn(args, 'at-once', MOST_SESSIONS),
  };
}

function countIn({ values }: Arguments, name: string, most: number): number | null {
  const given = values.get(name);
  if (given === undefined) return null;
  const count = Number(given);
  if (Number.isInteger(count) && count >= 1 && count <= most) return count;
  throw new UsageError(`--${name} ${given}: must be a whole number from 1 to ${most}.`);
}

interface RaceSetup {
  args: Arguments;
  setup: Setup;
  signal: AbortSignal;
}

async function runOnScreen(plan: Plan, { args, setup, signal }: RaceSetup): Promise<Race> {
  const { models, check, prompt } = plan;
  const machine = { cores: availableParallelism(), freeBytes: await freeMemory() };
  const fitting = sideBySide(models.length, machine);
  const screen = openRaceScreen({
    input: isStdinTerminal() ? process.stdin : null,
    output: process.stderr,
    environment: process.env,
    ...setup.loaded.settings.ui,
    isChecked: check !== undefined,
    now: Date.now,
    onInterrupt: () => void process.kill(process.pid, 'SIGINT'),
  });
  if (plan.atOnce === null && fitting.why !== null) screen.say(fitting.why);
  try {
    return await runRace({
      prompt,
      models,
      open: runnerOpener(prompt, { args, setup, signal }, screen),
      check,
      atOnce: plan.atOnce ?? fitting.atOnce,
      clock: { now: Date.now },
      onEvent: screen.show,
      signal,
    });
  } finally {
    screen.close();
  }
}

/** Opens the agents of a race. What one of them has to say at its start the others would only repeat. */
function runnerOpener(prompt: string, { args, setup }: RaceSetup, screen: RaceScreen) {
  const said = new Set<string>();
  return async ({ number, model, onEvent }: RunnerOptions): Promise<Runner> => {
    // The settings find the account of each model as they would for --model.
    const own = model === undefined ? args : { ...args, values: new Map(args.values).set('model', model) };
    const front = { front: 'race', mayAsk: false, onEvent };
    const agent = await openAgent(own, front, own === args ? setup : await readSetup(own));
    for (const notice of agent.notices.filter((each) => !said.has(each))) {
      said.add(notice);
      screen.say(notice);
    }
    const output = { notice: (message: string) => screen.say(`${number}: ${message}`) };
    return {
      agent,
      work: async (signal) => agent.prompt(await withFiles(prompt, { agent, output, signal }), signal),
    };
  };
}

/** Gives success when a session came to its end; else the code of the first one. */
function exitCodeOfRace({ state }: Race, { kept, failed }: SettledRace, signal: AbortSignal): number {
  if (signal.aborted) return exitCodes.cancelled;
  if (failed) return exitCodes.failure;
  if (kept) return exitCodes.done;
  const codes = state.runners.map(({ end, refused }) =>
    exitCodeOf({ reason: end?.reason ?? 'cancelled', error: end?.error, unasked: refused }),
  );
  const mildest = [exitCodes.done, exitCodes.nobodyToAsk, exitCodes.limit];
  return mildest.find((code) => codes.includes(code)) ?? codes[0] ?? exitCodes.failure;
}
