export { type McpBill, mcpBill } from './catalogue/bill.js';
export type { ConfiguredServer, McpCatalogue } from './catalogue/catalogue.js';
export type { McpConnection } from './contract/connection.js';
export { type McpServerConfig, parseServer, parseServerCommand } from './contract/server-config.js';
export { connect } from './server/connect.js';
