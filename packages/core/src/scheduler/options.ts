import type { Clock, Ids, Log } from '@toolwright/machine/host/host.js';
import type { Grant } from '../permission/grants.js';
import type { Permission } from '../permission/permission.js';
import type { CallRecord } from '../session/call-record.js';
import type { ToolRegistry } from '../tools/tool-registry.js';
import type { CallEvent, ConfirmRequest, Outcome } from './call.js';
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
  /** Hears of every event. One that throws is logged, and no call is lost by it. */
  emit?(event: CallEvent): void;
  saveOutput: SaveOutput;
  /** The path after links, as far as it exists; without it paths are judged as tools declare them. */
  realPath?(path: string): Promise<string>;
  /** Keeps a grant for later sessions; gives the id it is kept under. */
  saveGrant?(grant: Grant): Promise<{ id: string } | undefined>;
  limits?: { callMs?: number; graceMs?: number; parallel?: number };
}
