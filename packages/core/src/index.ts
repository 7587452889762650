export type {
  Blob,
  FileData,
  FileDiff,
  FileDiffEntry,
  FunctionCall,
  FunctionDeclaration,
  FunctionResponse,
  FunctionResponsePart,
  Message,
  Part,
  PartListUnion,
  PartUnion,
} from '@toolwright/machine/base/content.js';
export { textOf, toParts } from '@toolwright/machine/base/content.js';
export type { Effect } from '@toolwright/machine/base/effect.js';
export {
  type AbortReason,
  isToolError,
  SettingsError,
  ToolError,
  type ToolErrorCode,
  toolErrorCodes,
} from '@toolwright/machine/base/errors.js';
export type { JsonObject, JsonSchema } from '@toolwright/machine/base/json.js';
export type { ChangeSet, FileChange, PlannedChanges } from '@toolwright/machine/changes/change-set.js';
export type { Clock, Host, Ids, Log } from '@toolwright/machine/host/host.js';
export { openState, type State } from '@toolwright/machine/host/state/state.js';
export type { Root, Workspace } from '@toolwright/machine/host/workspace.js';
export type { ConfiguredServer } from '@toolwright/mcp/catalogue/catalogue.js';
export type { McpElicitAnswer, McpElicitRequest } from '@toolwright/mcp/contract/connection.js';
export { type McpServerConfig, parseServer } from '@toolwright/mcp/contract/server-config.js';
export type { ContextShare } from './agent/context-use.js';
export type { AgentEvent, AgentResult, Denial, EndReason } from './agent/events.js';
export type { FurtherPrompt } from './agent/refused-prompt.js';
export type { SessionApart } from './apart/session-apart.js';
export { type Agent, createAgent } from './create-agent.js';
export { createToolbox, type Toolbox } from './create-toolbox.js';
export type { ModelFacts } from './model/catalogue/model-table.js';
export type { ModelChoice } from './model/choose-model.js';
export {
  type FinishReason,
  type ListedModel,
  type ModelClient,
  ModelError,
  type ModelErrorKind,
  type ModelEvent,
  type ModelRequest,
  type Prices,
  type RawCall,
  type Usage,
} from './model/model.js';
export type { Effort, Tuning } from './model/tuning.js';
export type { CreateAgentOptions, ModelSettings } from './options/agent-options.js';
export type { LiveOptions, PieceOptions, ScriptOptions, ToolboxOptions } from './options/toolbox-options.js';
export type { GrantOffer } from './permission/grants.js';
export { type ApprovalMode, approvalModes } from './permission/modes.js';
export type { Permission } from './permission/permission.js';
export type { RuleText, Verdict } from './permission/rules.js';
export type { HookFile } from './pieces/hooks/hook.js';
export type { PieceFolder } from './pieces/piece.js';
export type { Answer } from './question/answers.js';
export { type CallQuestion, type QuestionPart, wordQuestion } from './question/question.js';
export type { CallEvent, ConfirmRequest, Outcome, SettledCall } from './scheduler/call.js';
export type { Scheduler } from './scheduler/scheduler.js';
export { type ServeMcpNeeds, type ServeMcpOptions, serveMcp } from './serve/serve-mcp.js';
export type { CallError, CallRecord } from './session/call-record.js';
export type { SavedEntry } from './session/journal.js';
export { type PastChange, pastChanges } from './session/past-changes.js';
export type { Session } from './session/session.js';
export {
  deleteSession,
  type ListedSession,
  listSessions,
  type SessionPage,
  type SessionPageOptions,
  sessionOfId,
} from './session/session-list.js';
export type { Caller } from './tools/caller/caller.js';
export { DiscoveredTool } from './tools/discovered/discover-tools.js';
export type {
  Display,
  DisplayData,
  DisplayValue,
  FieldsDisplay,
  MarkdownDisplay,
  TableDisplay,
} from './tools/display/display.js';
export { displayAsMarkdown } from './tools/display/display-as-markdown.js';
export { EditTool } from './tools/edit.js';
export { GlobTool } from './tools/glob.js';
export { GrepTool } from './tools/grep.js';
export type { ToolOrigin } from './tools/loading/tool-origin.js';
export { LSTool } from './tools/ls.js';
export { DiscoveredMCPTool } from './tools/mcp/mcp-tool.js';
export type { McpOptions } from './tools/mcp/open-servers.js';
export { MemoryTool } from './tools/memoryTool.js';
export {
  type DefinedTool,
  defineTool,
  type ToolContext,
  type ToolDefinition,
  type ToolHost,
} from './tools/own/define-tool.js';
export type { OwnToolsOptions, ToolFolder } from './tools/own/own-sources.js';
export type { StandardSchema, ToolParameters } from './tools/own/parameters.js';
export type { AnyTool } from './tools/own/tool-shape.js';
export type { SandboxSettings } from './tools/programs/command-settings.js';
export { ReadFileTool } from './tools/read-file.js';
export { ReadManyFilesTool } from './tools/read-many-files.js';
export type { SearchOptions } from './tools/search-providers/create-search-provider.js';
export { ShellTool } from './tools/shell.js';
export type { AskForm } from './tools/task/ask-user.js';
export type { EditorText, EditorTextState } from './tools/text-change/editor-text.js';
export {
  type DiscoveryReport,
  type RegisteredTool,
  ToolRegistry,
  type ToolSource,
} from './tools/tool-registry.js';
export {
  BaseTool,
  type ConfirmationDetails,
  type OnUpdate,
  type Tool,
  type ToolResult,
  type ToolSpec,
} from './tools/tools.js';
export { WebFetchTool } from './tools/web-fetch.js';
export { WebSearchTool } from './tools/web-search.js';
export { WriteFileTool } from './tools/write-file.js';
