import type { Clock, Log } from '@toolwright/machine/host/host.js';
import { createClock, createIds } from '@toolwright/machine/host/node-host.js';
import type { RawCall } from '../model/model.js';
import type { ApprovalMode } from '../permission/modes.js';
import { createPermission, type Permission } from '../permission/permission.js';
import type { RuleText } from '../permission/rules.js';
import type { CallEvent, SchedulerOptions, SettledCall } from '../scheduler/call.js';
import { type BatchOptions, createScheduler } from '../scheduler/scheduler.js';
import type { CallRecord } from '../session/call-record.js';
import { ToolRegistry } from '../tools/tool-registry.js';
import type { Tool } from '../tools/tools.js';
import { type ScriptedConfirm, scriptedConfirm } from './scripted-confirm.js';

/** The tools and rules that calls are tried with. */
export interface CallBenchOptions {
  tools: Tool[];
  mode?: ApprovalMode;
  rules?: RuleText[];
  confirm?: ScriptedConfirm;
  clock?: Clock;
  workspace?: string;
  more?: Partial<SchedulerOptions>;
}

/** A place to try calls, which remembers what happened. */
export interface CallBench {
  registry: ToolRegistry;
  permission: Permission;
  events: CallEvent[];
  records: CallRecord[];
  saved: Map<string, string>;
  errors: { message: string; error: unknown }[];
  cancelCalls(callId?: string): void;
  run(
    calls: (RawCall | [name: string, args?: unknown])[],
    signal?: AbortSignal,
    batch?: BatchOptions,
  ): Promise<SettledCall[]>;
}

/** The whole flow of a call around some tools, with everything that leaves it kept for a test to look at. */
export async function createCallBench(options: CallBenchOptions): Promise<CallBench> {
  const registry = new ToolRegistry();
  for (const tool of options.tools) registry.registerTool(tool);
  const permission = await permissionOf(options);
  const bench = {
    events: [] as CallEvent[],
    records: [] as CallRecord[],
    saved: new Map<string, string>(),
    errors: [] as { message: string; error: unknown }[],
  };
  const log: Log = {
    path: '/log/debug.log',
    debug() {},
    error: (message, error) => bench.errors.push({ message, error }),
  };
  const scheduler = createScheduler({
    registry,
    permission,
    clock: options.clock ?? createClock(),
    ids: createIds(),
    log,
    confirm: (options.confirm ?? scriptedConfirm()).confirm,
    record: async (entry) => void bench.records.push(entry),
    emit: (event) => bench.events.push(event),
    saveOutput: async (callId, text) => {
      bench.saved.set(callId, text);
      return `/output/${callId}.txt`;
    },
    ...options.more,
  });
  let count = 0;
  return {
    ...bench,
    registry,
    permission,
    cancelCalls: scheduler.cancelCalls,
    run: (calls, signal = new AbortController().signal, batch = {}) =>
      scheduler.run(
        calls.map((call) =>
          Array.isArray(call)
            ? { id: `c${++count}`, name: call[0], arguments: (call[1] ?? {}) as RawCall['arguments'] }
            : call,
        ),
        signal,
        batch,
      ),
  };
}

function permissionOf({ workspace: directory = '/work', mode = 'yolo', rules = [] }: CallBenchOptions) {
  return createPermission({
    mode,
    rules,
    workspace: {
      directory,
      rootOf: (path) => (path.startsWith(directory) ? { path: directory, access: 'write' } : undefined),
      show: (path) => (path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : path),
    },
  });
}
