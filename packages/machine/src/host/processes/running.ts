import { abortReason, messageOf, ToolError } from '../../base/errors.js';
import { withinDeadline } from '../deadline.js';
import type { Host } from '../host.js';
import { openTerminalWaits } from '../platform/processes/choose-process-access.js';
import { isShown, promptOf, watchForBlock } from './blocked.js';
import type { Spawned } from './launch/spawn-piped.js';
import { describeExcess, type MemoryLimit, watchMemory } from './memory.js';
import type { Outlet } from './output/outlet.js';
import type { Blocked, Ended, Running, RunOptions, StopReason, Survivor } from './processes.js';
import { describeLiving, endTree, livingOf, type Tree } from './tree.js';

export interface RunningNeeds extends Pick<Host, 'clock' | 'log'> {
  spawned: Spawned;
  outlet: Outlet;
  tree: Tree;
  /** Null where nothing bounds its memory. */
  memory: MemoryLimit | null;
  options: RunOptions;
  /** Called once, when nothing of it is left that could be ended. */
  onOver(): void;
}

interface Course {
  startedAt: number;
  follow: 'command' | 'tree';
  stopped: StopReason | null;
  /** Settles with the number of processes that could not be ended. */
  stopping: Promise<number> | null;
  blocked: Blocked | null;
  inputs: number;
  isOver: boolean;
  /** Ends the pauses and limits of this run. */
  over: AbortController;
}

const GRACE_MS = 2_000;
/** The grace for processes that the command left running: nobody waits for them any more. */
const SURVIVOR_GRACE_MS = 500;
/** Time for late output, and for children to end by themselves, after the command has ended. */
const DRAIN_MS = 150;
/** The first look again comes soon: most of what lives on is just about to end. */
const FIRST_LOOK_MS = 1;
const DRAIN_LOOK_MS = 10;
const FOLLOW_LOOK_MS = 200;

function createCourse(options: RunOptions, startedAt: number): Course {
  return {
    startedAt,
    follow: options.follow ?? 'command',
    stopped: null,
    stopping: null,
    blocked: null,
    inputs: 0,
    isOver: false,
    over: new AbortController(),
  };
}

export function createRunning(needs: RunningNeeds): Running {
  const { spawned, options, clock } = needs;
  const course = createCourse(options, clock.now());
  const limit = new AbortController();
  const { begin, givenUp } = createStop(needs, course);
  const unlisten = listenToAborts(options.signal, begin);
  const ended = settle(needs, course, givenUp).finally(() => {
    unlisten.current();
    // Pass a reason: the default builds an Error with a stack.
    limit.abort('over');
    course.over.abort('over');
    needs.onOver();
  });

  if (options.timeoutMs !== undefined) {
    clock.sleep(options.timeoutMs, limit.signal).then(
      () => begin({ kind: 'timeout' }),
      () => undefined,
    );
  }
  if (needs.memory !== null) void watchOver(needs, course, begin);
  if (spawned.terminal !== null) void watchTerminal(needs, course, spawned.terminal);

  return {
    pid: spawned.pid,
    ended,
    stop(reason) {
      begin(reason);
      return ended;
    },
    release() {
      course.follow = 'tree';
      limit.abort('released');
    },
    listenTo(signal) {
      unlisten.current();
      unlisten.current = listenToAborts(signal, begin).current;
    },
    ...inputOf(needs, course),
    ...sightOf(needs, course),
  };
}

interface Stop {
  /** Ends the tree; only the first reason counts. */
  begin(reason: StopReason): void;
  /** Settles with the number of processes that could not be ended, if there are any. */
  givenUp: Promise<number>;
}

function createStop({ spawned, tree, options, clock }: RunningNeeds, course: Course): Stop {
  let giveUp: (left: number) => void = () => undefined;
  const givenUp = new Promise<number>((resolve) => {
    giveUp = resolve;
  });
  return {
    givenUp,
    begin(reason) {
      if (course.isOver || course.stopping !== null) return;
      course.stopped = reason;
      spawned.resume();
      const graceMs = options.graceMs ?? GRACE_MS;
      course.stopping = endTree(tree, { graceMs, sleep: (ms) => clock.sleep(ms) });
      void course.stopping.then((left) => left > 0 && giveUp(left));
    },
  };
}

function inputOf(
  { spawned, outlet }: RunningNeeds,
  course: Course,
): Pick<Running, 'write' | 'closeInput' | 'hidesInput'> {
  return {
    async write(text) {
      if (course.isOver) throw new ToolError('failed', 'The program has ended and reads nothing any more.');
      course.inputs++;
      // The answer has come; the next look tells whether it waits again.
      course.blocked = null;
      await spawned.write(text);
    },
    closeInput() {
      if (!course.isOver) spawned.closeInput();
    },
    async hidesInput() {
      if (spawned.terminal === null || course.isOver) return false;
      const mode = await (await openTerminalWaits())?.modeOf(spawned.terminal);
      return !isShown(mode ?? null, promptOf(outlet.lastText()));
    },
  };
}

function sightOf(
  { outlet, tree }: RunningNeeds,
  course: Course,
): Pick<Running, 'kept' | 'output' | 'watch' | 'blocked' | 'members' | 'ports'> {
  return {
    kept: outlet.kept,
    output: () => outlet.captured(),
    watch: outlet.watch,
    blocked: () => course.blocked,
    members: async () => describeLiving(tree, await livingOf(tree)),
    ports: async () => tree.table?.portsOf((await livingOf(tree)).map(({ pid }) => pid)) ?? null,
  };
}

function listenToAborts(signal: AbortSignal, begin: (reason: StopReason) => void): { current: () => void } {
  const onAbort = (): void => begin(abortReason(signal));
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  return { current: () => signal.removeEventListener('abort', onAbort) };
}

/** Waits from the end of the command to the end of everything it started. */
async function settle(needs: RunningNeeds, course: Course, givenUp: Promise<number>): Promise<Ended> {
  const { spawned, outlet, clock } = needs;
  const unknown = givenUp.then(() => ({ exitCode: null, signal: null }));
  const { exitCode, signal } = await Promise.race([spawned.exited, unknown]);
  const survivors = await followToTheEnd(needs, course);
  course.stopped ??= await excessOf(needs);
  const left = (await course.stopping) ?? survivors.left;
  await withinDeadline(spawned.closed, { ms: DRAIN_MS, clock });
  spawned.detach();
  course.isOver = true;
  course.blocked = null;
  outlet.close();
  return {
    exitCode,
    signal,
    stopped: course.stopped,
    ...(await outlet.captured()),
    survivors: survivors.ended,
    left,
    durationMs: clock.now() - course.startedAt,
  };
}

/**
 * Until nothing is left: at once when all is quiet, after a short while when children linger, and for a job as long as it
 * lives. Lingering children of a command are ended; a pipe that someone out of our sight holds is let go.
 */
async function followToTheEnd(
  { tree, clock, spawned }: RunningNeeds,
  course: Course,
): Promise<{ ended: Survivor[]; left: number }> {
  let isClosed = false;
  void spawned.closed.then(() => {
    isClosed = true;
  });
  let look = FIRST_LOOK_MS;
  for (let drained = 0; course.stopping === null; ) {
    const living = await livingOf(tree, { quick: true });
    if (living.length === 0 && (isClosed || drained >= DRAIN_MS)) break;
    const isJob = course.follow === 'tree' && living.length > 0;
    if (!isJob && drained >= DRAIN_MS) {
      const ended = await describeLiving(tree, await livingOf(tree));
      return {
        ended,
        left: await endTree(tree, { graceMs: SURVIVOR_GRACE_MS, sleep: (ms) => clock.sleep(ms) }),
      };
    }
    const pause = isJob ? FOLLOW_LOOK_MS : look;
    if (!isJob) drained += pause;
    look = Math.min(2 * look, DRAIN_LOOK_MS);
    await (isClosed ? clock.sleep(pause) : withinDeadline(spawned.closed, { ms: pause, clock }));
  }
  return { ended: [], left: 0 };
}

/** The kernel may have ended it before anybody looked. */
async function excessOf({ tree, memory }: RunningNeeds): Promise<StopReason | null> {
  if (memory === null || !tree.group?.memory?.wasExceeded()) return null;
  return { kind: 'limit', message: describeExcess(tree.group.memory.peakBytes(), memory) };
}

async function watchOver(
  { tree, memory, clock, log }: RunningNeeds,
  course: Course,
  begin: (reason: StopReason) => void,
): Promise<void> {
  if (memory === null) return;
  await watchMemory({
    tree,
    limit: memory,
    sleep: (ms) => clock.sleep(ms, course.over.signal).catch(() => undefined),
    isOver: () => course.isOver || course.stopping !== null || course.over.signal.aborted,
    onExcess: (used) => begin({ kind: 'limit', message: describeExcess(used, memory) }),
  }).catch((error: unknown) => log.error(`watching the memory failed: ${messageOf(error)}`, error));
}

async function watchTerminal(needs: RunningNeeds, course: Course, terminal: string): Promise<void> {
  const { outlet, tree, clock, log } = needs;
  try {
    const waits = await openTerminalWaits();
    if (waits === null) return;
    await watchForBlock({
      tree,
      terminal,
      waits,
      lastText: outlet.lastText,
      signsOfLife: () => outlet.totalBytes() + course.inputs,
      sleep: (ms) => clock.sleep(ms, course.over.signal).catch(() => undefined),
      isOver: () => course.isOver || course.stopping !== null || course.over.signal.aborted,
      onChange(blocked) {
        course.blocked = blocked;
      },
    });
  } catch (error) {
    log.error(`watching a terminal failed: ${messageOf(error)}`, error);
  }
}
