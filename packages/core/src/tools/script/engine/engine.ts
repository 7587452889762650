import base from '@jitl/quickjs-ng-wasmfile-release-sync';
import wasmBinary from '@jitl/quickjs-ng-wasmfile-release-sync/wasm';
import { plural } from '@toolwright/machine/base/amounts.js';
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSSyncVariant,
} from 'quickjs-emscripten-core';
import {
  computedTooLong,
  type FromScript,
  type ScriptEnding,
  type ScriptStart,
  type SentCall,
  type SentResult,
} from './messages.js';
import { prelude } from './prelude.js';

const PAGE_BYTES = 65_536;
/** The module asks for no less. */
const FIRST_PAGES = 256;
/** More was seen to overflow the stack of the engine itself. */
const STACK_BYTES = 256 * 1024;
/** Below the memory of the engine, so that a script runs into an error and not into the wall. */
const ROOM_FOR_ENGINE = 4 * 1024 * 1024;

export interface Engine {
  start(): void;
  settle(results: readonly SentResult[]): void;
}

/** An engine for one script: it computes until it waits for its calls, and goes on when their results come. */
export async function openEngine(
  { code, tools, limits }: ScriptStart,
  post: (message: FromScript) => void,
): Promise<Engine> {
  const clock = createStopwatch(limits.computeMs);
  const runtime = await newRuntime(limits.memoryBytes);
  runtime.setInterruptHandler(clock.isOver);
  const context = runtime.newContext();
  const border = createBorder(context, { limits, post });
  const openDoor = context.unwrapResult(context.evalCode(prelude, 'prelude.js'));
  const names = context.newString(JSON.stringify(tools));
  const { undefined: nothing } = context;
  const door = context.unwrapResult(
    context.callFunction(openDoor, nothing, border.send, border.print, border.finish, names),
  );
  const [start, settle] = [context.getProp(door, 'start'), context.getProp(door, 'settle')];

  /** Runs the script as far as it goes; whatever it throws past its own handlers ends it. */
  function run(work: () => ScriptEnding | null): void {
    clock.start();
    const ending = caught(() => work() ?? runJobs(runtime, context), clock);
    clock.stop();
    post(ending ? { type: 'ended', ending } : border.flush());
  }
  return {
    start: () =>
      run(() => {
        const body = context.evalCode(`(async () => {${code}\n})`, 'script.js');
        if (body.error) return thrown(context, body.error);
        return failureOf(context, context.callFunction(start, nothing, body.value));
      }),
    settle: (results) =>
      run(() => {
        for (const { id, isOk, json } of results) {
          const given = [context.newNumber(id), isOk ? context.true : context.false, context.newString(json)];
          const failure = failureOf(context, context.callFunction(settle, nothing, ...given));
          border.settled(id);
          for (const handle of given) handle.dispose();
          if (failure) return failure;
        }
        return null;
      }),
  };
}

/** The types of the variant describe its CommonJS form. */
async function newRuntime(memoryBytes: number): Promise<QuickJSRuntime> {
  const pages = Math.ceil(memoryBytes / PAGE_BYTES);
  const wasmMemory = new WebAssembly.Memory({ initial: FIRST_PAGES, maximum: Math.max(pages, FIRST_PAGES) });
  const { buffer, byteOffset, byteLength } = wasmBinary;
  const bytes = buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer;
  const variant = newVariant(base as unknown as QuickJSSyncVariant, { wasmMemory, wasmBinary: bytes });
  const engine = await newQuickJSWASMModuleFromVariant(variant);
  const runtime = engine.newRuntime();
  runtime.setMaxStackSize(STACK_BYTES);
  runtime.setMemoryLimit(memoryBytes - ROOM_FOR_ENGINE);
  return runtime;
}

/** Counts the time that a script computes. */
function createStopwatch(limitMs: number) {
  let used = 0;
  let since: number | null = null;
  const sinceStart = (): number => (since === null ? 0 : performance.now() - since);
  return {
    start: () => {
      since = performance.now();
    },
    stop: () => {
      used += sinceStart();
      since = null;
    },
    isOver: () => used + sinceStart() > limitMs,
    limitMs,
  };
}

function runJobs(runtime: QuickJSRuntime, context: QuickJSContext): ScriptEnding | null {
  const done = runtime.executePendingJobs();
  return done.error ? thrown(context, done.error) : null;
}

/** An engine that is out of its own stack or memory throws as JavaScript of ours. */
function caught(
  work: () => ScriptEnding | null,
  { isOver, limitMs }: Pick<ReturnType<typeof createStopwatch>, 'isOver' | 'limitMs'>,
): ScriptEnding | null {
  let ending: ScriptEnding | null;
  try {
    ending = work();
  } catch (error) {
    ending = { kind: 'stopped', why: `its engine failed: ${String(error).slice(0, 200)}` };
  }
  return ending && isOver() ? { kind: 'stopped', why: computedTooLong(limitMs) } : ending;
}

function failureOf(
  context: QuickJSContext,
  result: ReturnType<QuickJSContext['callFunction']>,
): ScriptEnding | null {
  if (result.error) return thrown(context, result.error);
  result.value.dispose();
  return null;
}

const LONGEST_MESSAGE = 4_000;

/** An error that the prelude could not catch: of the syntax, of memory, or of time. */
function thrown(context: QuickJSContext, error: QuickJSHandle): ScriptEnding {
  const part = (name: string): string => {
    const handle = context.getProp(error, name);
    return context.typeof(handle) === 'string' ? context.getString(handle).slice(0, LONGEST_MESSAGE) : '';
  };
  const [name, message] = [part('name'), part('message')];
  if (message === '') return { kind: 'stopped', why: 'its engine had no memory left' };
  const lines = part('stack')
    .split('\n')
    .filter((line) => line.includes('script.js'));
  return { kind: 'threw', message: [`${name}: ${message}`, ...lines].join('\n') };
}

interface BorderNeeds extends Pick<ScriptStart, 'limits'> {
  post(message: FromScript): void;
}

/** Reads a text out of the engine; null for anything else and for what is too long. */
function textReader(context: QuickJSContext) {
  return (handle: QuickJSHandle | undefined, most: number): string | null => {
    if (!handle || context.typeof(handle) !== 'string') return null;
    return context.getProp(handle, 'length').consume(context.getNumber) > most
      ? null
      : context.getString(handle);
  };
}

/** Passes on what a script prints, up to a limit; null stands for a text that is beyond it alone. */
function printer({ printedCharacters: most }: BorderNeeds['limits'], post: BorderNeeds['post']) {
  let printed = 0;
  return (text: string | null): void => {
    if (printed > most) return;
    printed += text === null ? most : text.length + 1;
    const isOver = text === null || printed > most;
    post({
      type: 'printed',
      text: isOver ? `[what it printed beyond ${plural(most, 'character')} is left out]\n` : `${text}\n`,
    });
  };
}

/** The three functions that a script reaches us by. They take text and numbers, each measured before it is copied. */
function createBorder(context: QuickJSContext, { limits, post }: BorderNeeds) {
  const open = new Set<number>();
  let waiting: SentCall[] = [];
  let ending: ScriptEnding | null = null;
  let [made, sent] = [0, 0];
  const textOf = textReader(context);
  const print = printer(limits, post);
  function accept(id: number, tool: string | null, params: string | null): string | null {
    if (tool === null || params === null) return tooMuchSent(limits.sentCharacters);
    if (made >= limits.calls) return `A script makes ${plural(limits.calls, 'call')} at most.`;
    made += 1;
    sent += params.length;
    if (sent > limits.sentCharacters) return tooMuchSent(limits.sentCharacters);
    open.add(id);
    waiting.push({ id, tool, params });
    return null;
  }
  return {
    send: context.newFunction('send', (id, tool, params) => {
      const refusal = accept(
        context.getNumber(id!),
        textOf(tool, 200),
        textOf(params, limits.sentCharacters),
      );
      return refusal === null ? context.undefined : context.newString(refusal);
    }),
    print: context.newFunction('print', (given) => print(textOf(given, limits.printedCharacters))),
    finish: context.newFunction('finish', (isOk, given) => {
      const text = textOf(given, limits.printedCharacters);
      const isTooLong = `what it gave is longer than ${plural(limits.printedCharacters, 'character')}`;
      if (text === null) ending = { kind: 'stopped', why: isTooLong };
      else if (context.dump(isOk!) === true) ending = { kind: 'returned', text };
      else ending = { kind: 'threw', message: text.slice(0, LONGEST_MESSAGE) };
    }),
    settled: (id: number) => open.delete(id),
    /** Gives the calls that the script waits for. The script ends when none is open, those included that it did not await. */
    flush(): FromScript {
      const calls = waiting;
      waiting = [];
      if (calls.length > 0) return { type: 'calls', calls };
      if (open.size > 0) return { type: 'waiting' };
      return { type: 'ended', ending: ending ?? { kind: 'stopped', why: STUCK } };
    },
  };
}

const STUCK = 'it waits for a promise that nothing settles';

function tooMuchSent(most: number): string {
  return `The parameters of a script's calls hold ${plural(most, 'character')} at most.`;
}
