import type { Clock, Ids, Log } from '@toolwright/machine/host/host.js';
import type { Grant } from '../permission/grants.js';
import type { Permission } from '../permission/permission.js';
import type { ToolRegistry } from '../tools/tool-registry.js';
import type { Tool } from '../tools/tools.js';
import type { SaveOutput } from './bound-result.js';
import type { CallEvent, CallRecord, ConfirmRequest, Outcome } from './call.js';
import type { TimeLimit } from './time-limit.js';

export interface SchedulerOptions {
  registry: ToolRegistry;
  permission: Permission;
  clock: Clock;
  ids: Ids;
  log: Log;
  /** Asks the person. Questions come one at a time. */
  confirm(request: ConfirmRequest, signal: AbortSignal): Promise<Outcome>;
  /** Awaited before a call runs and before it is answered. */
  record(entry: CallRecord): Promise<void>;
  emit(event: CallEvent): void;
  saveOutput: SaveOutput;
  /** Keeps a grant for later sessions; gives the id it is kept under. */
  saveGrant?(grant: Grant): Promise<{ id: string } | undefined>;
  limits?: { callMs?: number; graceMs?: number; parallel?: number };
}

const CALL_LIMIT_MS = 30 * 60_000;
const GRACE_MS = 5_000;
/** Ours stop when told to, but what they have begun to write they take back first. */
const BUILTIN_GRACE_MS = 60_000;

export function limitOf(
  { clock, limits, registry }: SchedulerOptions,
  tool: Pick<Tool, 'name'>,
  signal: AbortSignal,
): TimeLimit {
  const isBuiltin = registry.find(tool.name)?.origin.kind === 'builtin';
  const graceMs = limits?.graceMs ?? (isBuiltin ? BUILTIN_GRACE_MS : GRACE_MS);
  return { clock, signal, limitMs: limits?.callMs ?? CALL_LIMIT_MS, graceMs };
}

/** A listener that throws is no reason to lose a call. */
export function emitSafely(options: SchedulerOptions, event: CallEvent): void {
  try {
    options.emit(event);
  } catch (error) {
    options.log.error(`a listener failed on ${event.type}`, error);
  }
}
