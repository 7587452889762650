export { type McpBill, mcpBill } from './catalogue/bill.js';
export type { ConfiguredServer, McpCatalogue } from './catalogue/catalogue.js';
export { connect } from './connect.js';
export type { McpConnection } from './connection.js';
export { type McpServerConfig, parseServer, parseServerCommand } from './server-config.js';
