import type { Clock, Ids, Log } from '@toolwright/machine/host/host.js';
import type { Grant } from '../permission/grants.js';
import type { Permission } from '../permission/permission.js';
import type { ToolRegistry } from '../tools/tool-registry.js';
import type { CallEvent, CallRecord, ConfirmRequest, Outcome } from './call.js';
import type { SaveOutput } from './response.js';

export interface SchedulerOptions {
  registry: ToolRegistry;
  permission: Permission;
  clock: Clock;
  ids: Ids;
  log: Log;
  /** Asks the user. Questions come one at a time. */
  confirm(request: ConfirmRequest, signal: AbortSignal): Promise<Outcome>;
  /** Awaited before a call runs and before it is answered. */
  record(entry: CallRecord): Promise<void>;
  emit(event: CallEvent): void;
  saveOutput: SaveOutput;
  /** Keeps a grant for later sessions; gives the id it is kept under. */
  saveGrant?(grant: Grant): Promise<{ id: string } | undefined>;
  limits?: { callMs?: number; graceMs?: number; parallel?: number };
}

/** A listener that throws is no reason to lose a call. */
export function emitSafely(options: SchedulerOptions, event: CallEvent): void {
  try {
    options.emit(event);
  } catch (error) {
    options.log.error(`a listener failed on ${event.type}`, error);
  }
}
