import { createAgent, sessionOfId } from '@toolwright/core';
import {
  createWorkspace,
  findSession,
  openStateFolder,
  type Recording,
  type ReplayReport,
  readRecording,
  recordingOfSession,
  replayAgain,
  replayRecorded,
  withUnpackedTree,
} from '@toolwright/core/front-end';
import { exitCodes, UsageError } from '../../base/exit-codes.js';
import { abortOnInterrupt } from '../../base/interrupts.js';
import { printJson, warn } from '../../base/print.js';
import { type Arguments, refuseFurther } from '../../command-line/args.js';
import { type Flag, permissionFlags, promptFlags } from '../../command-line/flags.js';
import { agentOptions, loadSetup, openToolbox, readSetup, type Setup } from '../../setup/runtime.js';
import { defineCommand } from '../command.js';
import { printReplay } from './print.js';

const passedOn = ['provider', 'model', 'base-url', 'max-turns'];

const flags: readonly Flag[] = [
  {
    name: 'tools',
    value: 'HOW',
    choices: ['again', 'recorded'],
    help: 'Run the tools again (default), or take every result from the recording: the same bytes on any machine.',
  },
  { name: 'any-tree', help: 'Continue even if files are not what they were when the recording began.' },
  { name: 'json', help: 'Print the report as JSON.' },
  ...permissionFlags,
  ...promptFlags.filter(({ name }) => passedOn.includes(name)),
];

const usage = `  toolwright --record FILE -p "PROMPT"     make a recording; --with-tree packs the files, too
  toolwright replay FILE                   run it again with the recorded answers of the model
  toolwright replay ID                     the same with a saved session: toolwright sessions list
  toolwright replay FILE --tools recorded  every result from the recording, nothing is run
  toolwright replay FILE --model NAME      ask another model instead, and compare

A replay works apart, and nothing of it is kept. Calls that use the network, MCP servers, places outside or an
approval are answered from the recording.

It exits with 0 when nothing differs, 1 when something does, 130 when it was cancelled.`;

export const run = defineCommand({ usage, flags, run: replay });

async function replay(args: Arguments): Promise<number> {
  const { words, values, switches } = args;
  const [source, ...further] = words;
  refuseFurther(further, 'replay FILE');
  if (source === undefined)
    throw new UsageError('replay needs a recording or the id of a session: toolwright replay run.jsonl');
  const isRecorded = values.get('tools') === 'recorded';
  const asksModel = values.has('model') || values.has('provider');
  if (isRecorded && asksModel)
    throw new UsageError('Give --tools recorded or --model, not both: another model makes other calls.');
  const signal = abortOnInterrupt();
  try {
    const recording = await recordingOf(source, await readSetup(args), signal);
    const report = isRecorded
      ? await replayRecorded(recording, signal)
      : await inFolder(recording, args, (own) => again(recording, own, { asksModel, signal }));
    if (switches.has('json')) printJson(report, 2);
    else printReplay(report);
    return exitCodeOf(report);
  } catch (error) {
    if (signal.aborted) return exitCodes.cancelled;
    throw error;
  }
}

function exitCodeOf({ differences }: ReplayReport): number {
  return differences.length > 0 ? exitCodes.failure : exitCodes.done;
}

/** A file, or a session of this workspace or another one. */
async function recordingOf(
  source: string,
  { stateFolder, workspace }: Setup,
  signal: AbortSignal,
): Promise<Recording> {
  const state = openStateFolder(stateFolder);
  if (/[./\\]/.test(source)) return readRecording(source, signal);
  const found =
    (await sessionOfId(state, source)) ??
    (await findSession(state, createWorkspace({ directory: workspace }).directory, source).catch(() => null));
  return found ? recordingOfSession(found, state, signal) : readRecording(source, signal);
}

/** A packed tree is laid out in a folder of its own for the time of the replay. */
async function inFolder(
  recording: Recording,
  args: Arguments,
  work: (args: Arguments) => Promise<ReplayReport>,
): Promise<ReplayReport> {
  if (!recording.head.tree?.isPacked || args.values.has('workspace')) return work(args);
  return withUnpackedTree(recording, (folder) =>
    work({ ...args, values: new Map(args.values).set('workspace', folder) }),
  );
}

async function again(
  recording: Recording,
  args: Arguments,
  { asksModel, signal }: { asksModel: boolean; signal: AbortSignal },
): Promise<ReplayReport> {
  const setup = await loadSetup(args);
  const front = { front: 'replay', mayAsk: false, onCopy: warn, onEvent: () => undefined };
  return replayAgain(recording, {
    workspace: createWorkspace({ directory: setup.workspace }).directory,
    async open(options) {
      const { pieces, mcp: _servers, confirm: _nobody, ...own } = await agentOptions(args, front, setup);
      const { hooks: _hooks, ...others } = pieces ?? {};
      return createAgent({ ...own, pieces: others, ...options });
    },
    look: ({ apart }) =>
      openToolbox(
        args,
        {
          front: 'replay',
          mayAsk: false,
          apart,
          onlyLooks: true,
          servers: { onlyLooks: true, isQuiet: true },
        },
        setup,
      ),
    asksModel,
    anyTree: args.switches.has('any-tree'),
    signal,
  });
}
