export { pageFolder } from './page-folder.js';
export type { OpenAgentOptions, OpenToolboxOptions, WebNeeds } from './server/needs.js';
export { type ServeWebOptions, serveWeb, type WebAddress } from './server/serve-web.js';
export type { MachineView, ServerRow } from './wire/wire.js';
