import { createToolbox, openState, pastChanges, type SettledCall } from '@toolwright/core';
import {
  createClock,
  createHttp,
  createIds,
  createSearchProvider,
  deadlineIn,
  messageOf,
  openSessionsApart,
  openStateFolder,
  remarksOnWorkspace,
  searchProblem,
  stateFolderPath,
  trySearch,
} from '@toolwright/core/front-end';
import { examineSandbox } from '@toolwright/doctor';
import type { Arguments } from '../command-line/args.js';
import { openAgent, openToolbox, type Setup } from '../setup/runtime.js';

export interface Examined {
  /** `note`: not needed, but good to know. */
  state: 'ok' | 'note' | 'broken';
  what: string;
  detail: string;
}

interface Here {
  args: Arguments;
  /** Loaded once for all; a text where it can't be, which says why. */
  setup: Setup | string;
}

type Examination = (here: Here) => Promise<Examined[]>;

const LIMIT_MS = 20_000;

/** The examinations, in the order they are printed. */
export const examinations: readonly Examination[] = [
  examineNode,
  examineSettings,
  examineWorkspace,
  examineModel,
  examineSearch,
  examineSandboxHere,
  examineCommands,
  examineTools,
  examineSessionsApart,
];

async function examineNode(): Promise<Examined[]> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isSupported = major > 20 || (major === 20 && minor >= 19);
  return [
    {
      state: isSupported ? 'ok' : 'broken',
      what: 'Node',
      detail: isSupported
        ? `${process.version} on ${process.platform} ${process.arch}`
        : `${process.version} is too old; install Node 20.19 or newer`,
    },
  ];
}

async function examineSettings({ setup }: Here): Promise<Examined[]> {
  if (typeof setup === 'string') return [{ state: 'broken', what: 'Settings', detail: setup }];
  const { settings, files } = setup.loaded;
  const read = files.filter(({ state }) => state === 'read').map(({ path }) => path);
  const untrusted = files.filter(({ state }) => state === 'not trusted').map(({ path }) => path);
  return [
    {
      state: 'ok',
      what: 'Settings',
      detail: read.length > 0 ? `read from ${read.join(', ')}` : 'no settings files; the defaults apply',
    },
    ...untrusted.map(
      (path): Examined => ({
        state: 'note',
        what: 'Trust',
        detail: `${path} is not read: this folder is not trusted (toolwright trust)`,
      }),
    ),
    ...[...setup.warnings, ...setup.serverWarnings].map(
      (detail): Examined => ({ state: 'note', what: 'Settings', detail }),
    ),
    { state: 'ok', what: 'Approval mode', detail: settings.approvalMode },
  ];
}

/** Notes secrets in the workspace: no fault, but good to know. */
async function examineWorkspace({ setup }: Here): Promise<Examined[]> {
  if (typeof setup === 'string') return [notTried('Workspace')];
  const { HOME } = process.env;
  const remarks = remarksOnWorkspace([setup.workspace], HOME);
  if (remarks.length === 0) return [{ state: 'ok', what: 'Workspace', detail: setup.workspace }];
  return remarks.map((detail): Examined => ({ state: 'note', what: 'Workspace', detail }));
}

async function examineModel({ args, setup }: Here): Promise<Examined[]> {
  if (typeof setup === 'string') return [notTried('Model')];
  try {
    const agent = await openAgent(args, { front: 'doctor', onEvent: () => undefined }, setup);
    await agent.close();
    const { choice } = agent;
    if (!choice || choice.provider === 'offline') {
      const reason = choice?.reason ?? '';
      return [
        {
          state: 'note',
          what: 'Model',
          detail: `the built-in offline model answers. ${reason} docs/models.md explains how to connect one`,
        },
      ];
    }
    return [{ state: 'ok', what: 'Model', detail: `${choice.label}, ${choice.model}. ${choice.reason}` }];
  } catch (error) {
    return [{ state: 'broken', what: 'Model', detail: messageOf(error) }];
  }
}

async function examineSearch({ setup }: Here): Promise<Examined[]> {
  if (typeof setup === 'string') return [notTried('Web search')];
  const options = setup.loaded.settings.web.search;
  const provider = createSearchProvider(options, createHttp({ environment: process.env }));
  if (!provider)
    return [
      {
        state: 'note',
        what: 'Web search',
        detail: `not offered: ${searchProblem(options) ?? 'it is not configured'}`,
      },
    ];
  const { ok, message } = await trySearch(provider, deadlineIn(LIMIT_MS));
  return [{ state: ok ? 'ok' : 'broken', what: 'Web search', detail: message }];
}

const SANDBOX_LIMIT_MS = 120_000;

/** Gives a line for each guarantee of the sandbox, tried from inside. */
async function examineSandboxHere({ setup }: Here): Promise<Examined[]> {
  const mode = typeof setup === 'string' ? 'auto' : setup.loaded.settings.sandbox.mode;
  try {
    const { confined, sentence, guarantees } = await examineSandbox({
      mode,
      environment: process.env,
      stateFolder: stateFolderPath(process.env),
      signal: deadlineIn(SANDBOX_LIMIT_MS),
    });
    const missing = mode === 'required' ? 'broken' : 'note';
    return [
      { state: confined ? 'ok' : missing, what: 'Sandbox', detail: `commands are ${sentence}` },
      ...guarantees.map(
        ({ guarantee, holds, tried }): Examined => ({
          state: holds === null ? 'note' : holds ? 'ok' : 'broken',
          what: `Sandbox, ${guarantee}`,
          detail: `${holds === null ? 'not tried: ' : holds ? 'tried: ' : 'does not hold: '}${tried}`,
        }),
      ),
    ];
  } catch (error) {
    return [{ state: 'broken', what: 'Sandbox', detail: messageOf(error) }];
  }
}

/** Examines what holds for commands in this folder beside the sandbox. */
async function examineCommands({ args, setup }: Here): Promise<Examined[]> {
  if (typeof setup === 'string') return [notTried('Commands')];
  try {
    const toolbox = await openToolbox(args, { front: 'doctor', onlyLooks: true }, setup);
    const { staged, processes } = toolbox.commands.shell;
    const staging = await staged.possible(deadlineIn(LIMIT_MS));
    const limits = await processes.limits();
    await toolbox.close();
    return [
      {
        state: staging.possible ? 'ok' : 'note',
        what: 'Commands, changes are shown before they are kept',
        detail: staging.possible
          ? 'tried: they run on a copy of this folder'
          : `not in this folder: ${staging.why} Commands are asked about first, and can be undone`,
      },
      found('Commands, storms of processes', limits.processes.bound !== 'none', limits.processes.sentence),
      found('Commands, memory', limits.memory.bound !== 'none', limits.memory.sentence),
      found('Commands, the whole tree ends', limits.tree.found !== 'group', limits.tree.sentence),
      found('Commands, they end with the program', limits.death.dies !== 'next-start', limits.death.sentence),
      found('Commands, jobs can be answered', limits.terminal.available, limits.terminal.sentence),
    ];
  } catch (error) {
    return [{ state: 'broken', what: 'Commands', detail: messageOf(error) }];
  }
}

function notTried(what: string): Examined {
  return { state: 'note', what, detail: "not tried, as the settings can't be used" };
}

function found(what: string, isGood: boolean, detail: string): Examined {
  return { state: isGood ? 'ok' : 'note', what, detail };
}

/** Real calls in a folder made for it, so that what is reported is what was seen; the last one is taken back. */
async function examineTools(): Promise<Examined[]> {
  const rows: Examined[] = [];
  const note = (what: string, problem: string | undefined): void => {
    rows.push({ state: problem === undefined ? 'ok' : 'broken', what, detail: problem ?? 'works' });
  };
  try {
    const state = openStateFolder(stateFolderPath(process.env));
    const workspace = await state.make('stage', 'doctor');
    const toolbox = await createToolbox({ workspace, approvalMode: 'yolo', front: 'doctor' });
    const signal = deadlineIn(LIMIT_MS);
    const call = async (name: string, args: Record<string, unknown>): Promise<SettledCall> => {
      const [settled] = await toolbox.scheduler.run([{ id: '', name, arguments: args }], signal);
      return settled as SettledCall;
    };
    note('State folder', undefined);
    const written = await call('write_file', { file_path: 'a.txt', content: 'needle\n' });
    note('Changing files', written.error?.message);
    note('Reading files', (await call('read_file', { absolute_path: 'a.txt' })).error?.message);
    note('Search (ripgrep)', (await call('grep_search', { pattern: 'needle' })).error?.message);
    const [change] = (await pastChanges(toolbox.state, toolbox.host.workspace.directory, signal)).slice(-1);
    const plan = change ? await toolbox.changes.planUndo(change.changeSet, signal) : null;
    if (plan?.kind === 'ready') await toolbox.undo(plan.planned, change!.changeSet.id, signal);
    note('Undo', plan?.kind === 'ready' ? undefined : 'the change that was made could not be undone');
    await toolbox.close();
  } catch (error) {
    rows.push({ state: 'broken', what: 'Tools', detail: messageOf(error) });
  }
  return rows;
}

/** Sessions apart outlive the program, so what goes wrong with them is found here. */
async function examineSessionsApart(): Promise<Examined[]> {
  const what = 'Sessions apart';
  try {
    const host = { clock: createClock(), ids: createIds() };
    const folders = await openSessionsApart(openState({ path: stateFolderPath(process.env), host }));
    const told = [...(await folders.leftovers()), ...(await folders.look()).warnings];
    const count = (await folders.list()).length;
    const detail =
      count === 0 ? 'none waiting for review' : `${count} on disk; toolwright apart list shows them`;
    return [
      { state: 'ok', what, detail },
      ...told.map((each): Examined => ({ state: 'note', what, detail: each })),
    ];
  } catch (error) {
    return [{ state: 'broken', what, detail: messageOf(error) }];
  }
}
