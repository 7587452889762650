export { pageFolder } from './page-folder.js';
export type { FleetDoor, FleetNews } from './server/fleet/fleet-door.js';
export type {
  ExpandedPrompt,
  OpenAgentOptions,
  OpenToolboxOptions,
  WebAgent,
  WebNeeds,
} from './server/needs.js';
export { type ServeWebOptions, serveWeb, type WebAddress } from './server/serve-web.js';
export type { FleetStatus, TaskRecord, TaskState, TaskUsage } from './wire/fleet.js';
export type { MachineView, ServerRow } from './wire/wire.js';
