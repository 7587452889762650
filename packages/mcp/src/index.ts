export {
  type CatalogueOptions,
  type ConfiguredServer,
  type McpCatalogue,
  openCatalogue,
} from './catalogue/catalogue.js';
export type { ServedServer } from './catalogue/served-server.js';
export { type McpToolCost, mcpToolCost } from './catalogue/tool-cost.js';
export { type ConnectServerOptions, connectServer } from './connect-server.js';
export {
  type McpCallOptions,
  type McpCallResult,
  type McpConnection,
  type McpElicitAnswer,
  type McpElicitRequest,
  McpFailure,
  type McpListing,
  type McpResourceTemplate,
  type McpSampleAnswer,
  type McpSampleCall,
  type McpSampleRequest,
  type McpSampleTool,
  type McpServerState,
  type McpToolChoice,
  type McpToolDefinition,
} from './contract/connection.js';
export type { McpLimits, McpNeeds } from './contract/needs.js';
export { type McpServerConfig, parseServer, parseServerCommand } from './contract/server-config.js';
export { connect } from './server/connect.js';
