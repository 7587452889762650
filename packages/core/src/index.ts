export { formatAbout, formatBytes, formatNumber, plural } from '@toolwright/machine/base/amounts.js';
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
  messageOf,
  SettingsError,
  ToolError,
  type ToolErrorCode,
  toolErrorCodes,
} from '@toolwright/machine/base/errors.js';
export { isJsonObject, type JsonObject, type JsonSchema } from '@toolwright/machine/base/json.js';
export { validate as validateJson } from '@toolwright/machine/base/json-schema/json-schema.js';
export { didYouMean, nearest } from '@toolwright/machine/base/nearest.js';
export { secretsInEnvironment } from '@toolwright/machine/base/secrets/known-secrets.js';
export { createRedactor } from '@toolwright/machine/base/secrets/redact.js';
export {
  createTerminalSafe,
  type TerminalSafe,
  terminalSafe,
  terminalSafeJson,
  terminalSafeLine,
  unfinishedEnd,
} from '@toolwright/machine/base/terminal-safe.js';
export type { KeptWork, ReviewedWork } from '@toolwright/machine/changes/apart/work-apart.js';
export {
  type ChangeSet,
  type FileChange,
  type PlannedChanges,
  summarize,
} from '@toolwright/machine/changes/change-set.js';
export type { Choice } from '@toolwright/machine/changes/review/choose.js';
export type { ReviewHunk } from '@toolwright/machine/changes/review/hunks.js';
export {
  type MergePresentOptions,
  mergeWithPresent,
} from '@toolwright/machine/changes/review/merge-present.js';
export type { Review, ReviewItem } from '@toolwright/machine/changes/review/review.js';
export type { ShownChange } from '@toolwright/machine/changes/show-change.js';
export type { AboutApart } from '@toolwright/machine/host/apart/about-apart.js';
export type { ApartFolders, ListedApart } from '@toolwright/machine/host/apart/apart-folders.js';
export {
  clipboardImage,
  clipboardPrograms,
  copyToClipboard,
} from '@toolwright/machine/host/clipboard/clipboard.js';
export { deadlineIn, whenAborted, withinDeadline } from '@toolwright/machine/host/deadline.js';
export { type Edited, type EditRequest, editText } from '@toolwright/machine/host/editor/edit-text.js';
export type { Clock, Host, Ids, Log } from '@toolwright/machine/host/host.js';
export { createHttp } from '@toolwright/machine/host/http/http.js';
export type { Job, JobOutput, JobStatus, Jobs } from '@toolwright/machine/host/jobs/jobs.js';
export { type Lease, type Life, lifeOf, ownLease } from '@toolwright/machine/host/leases/lease.js';
export { createClock, createIds } from '@toolwright/machine/host/node-host.js';
export { readRegularFile } from '@toolwright/machine/host/plain-files/regular-file.js';
export { closeInheritedDescriptors, spawn } from '@toolwright/machine/host/processes/launch/child-process.js';
export { freeMemory, ownMemory } from '@toolwright/machine/host/processes/own-memory.js';
export { stampOfAll } from '@toolwright/machine/host/state/inspect-files.js';
export { createLog } from '@toolwright/machine/host/state/log.js';
export { openState, type State } from '@toolwright/machine/host/state/state.js';
export { openStateFolder, stateFolderPath, usableHome } from '@toolwright/machine/host/state/state-folder.js';
export { createWorkspace, type Root, type Workspace } from '@toolwright/machine/host/workspace.js';
export type { ConfiguredServer, McpCatalogue } from '@toolwright/mcp/catalogue/catalogue.js';
export {
  differences as pinDifferences,
  differencesAsDiff as pinDifferencesAsDiff,
  type PinDifference,
} from '@toolwright/mcp/catalogue/pins.js';
export type { ServedServer } from '@toolwright/mcp/catalogue/served-server.js';
export type { ServerRecord } from '@toolwright/mcp/catalogue/server-record.js';
export type { OtherCode } from '@toolwright/mcp/catalogue/start-consent.js';
export { type McpToolCost, mcpToolCost } from '@toolwright/mcp/catalogue/tool-cost.js';
export type { McpElicitAnswer, McpElicitRequest, McpPrompt } from '@toolwright/mcp/contract/connection.js';
export {
  type McpServerConfig,
  parseServer,
  parseServerCommand,
} from '@toolwright/mcp/contract/server-config.js';
export { runPrompt } from './agent/agent.js';
export type { ContextShare } from './agent/context-use.js';
export type { AgentEvent, AgentResult, Denial, EndReason } from './agent/events.js';
export { openSessionsApart } from './apart/apart-on-disk.js';
export { checkWork } from './apart/race/check-work.js';
export type { WorkDifference } from './apart/race/compare-work.js';
export {
  type Race,
  type RaceAgent,
  type RaceOptions,
  type Runner,
  type RunnerOptions,
  runRace,
} from './apart/race/race.js';
export type {
  CheckResult,
  RaceEvent,
  RaceState,
  RunnerEnd,
  RunnerState,
  RunnerWork,
} from './apart/race/race-state.js';
export { type SideBySide, sideBySide } from './apart/race/side-by-side.js';
export type { BeginApart, KeepApart, SessionApart } from './apart/session-apart.js';
export { type KeptTry, type TriedCommand, type TryOptions, tryCommand } from './apart/try-command.js';
export { refusedUnseenOfWork } from './apart/unseen-changes.js';
export { type Agent, createAgent } from './create-agent.js';
export type { Commands, SandboxSettings } from './create-commands.js';
export type { Pieces } from './create-pieces.js';
export { createToolbox, type Toolbox } from './create-toolbox.js';
export {
  compareRuns,
  type EvalComparison,
  type EvalRun,
  type EvalSummary,
  type Interval,
  type Spread,
  summariesOf,
  summarise,
} from './eval/results.js';
export { type EvalOptions, type EvalWork, runEval } from './eval/run-eval.js';
export { broughtServers } from './extensions/brought-servers.js';
export { type Extension, formatNames, type ReadExtension } from './extensions/extension.js';
export { type ExtensionContents, foldersOf, readContents } from './extensions/extension-contents.js';
export {
  type ExtensionAspect,
  type ExtensionFinding,
  extensionAspects,
  findingsOf,
} from './extensions/extension-findings.js';
export {
  extensionRoot,
  type InstalledExtension,
  installedExtensions,
  saveInstalled,
} from './extensions/installed-extensions.js';
export { pageDifference } from './extensions/page-difference.js';
export {
  lookAtInstalled,
  type PreparedExtension,
  prepareExtension,
  requireInstalled,
} from './extensions/prepare-extension.js';
export { projectExtensions } from './extensions/project-extensions.js';
export { readExtension } from './extensions/read-extension.js';
export { describeSource, type ExtensionSource, parseSource } from './extensions/source.js';
export { type LiveDoor, openLiveDoor } from './live/live-door.js';
export {
  type LiveAbout,
  type LiveAnswer,
  type LiveEvent,
  type LiveQuestion,
  type LiveTail,
  tailAfter,
} from './live/live-words.js';
export { type LiveSession, watchLive } from './live/watch-live.js';
export type { ContextFiles, LoadedContext } from './memory/context-files.js';
export { pathsOfEffects } from './memory/context-files.js';
export type { ContextNode, ContextState } from './memory/context-tree.js';
export { factKey } from './memory/fact-text.js';
export { type OpenContextOptions, openContextFiles } from './memory/open-context.js';
export { keyVariables } from './model/accounts.js';
export { costOf, type ModelFacts, openModelTable } from './model/catalogue/model-table.js';
export { type TriedModel, tryModel } from './model/catalogue/try-model.js';
export { createModel, type ModelChoice, type ModelOptions } from './model/choose-model.js';
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
export { createOfflineModel } from './model/offline/offline.js';
export { compileTool } from './model/schema/compile-tools.js';
export type { Dialect } from './model/schema/dialects.js';
export { showTool } from './model/show-tool.js';
export { type Effort, efforts, type Tuning } from './model/tuning.js';
export type { CreateAgentOptions, ModelSettings } from './options/agent-options.js';
export type { LiveOptions, PieceOptions, ScriptOptions, ToolboxOptions } from './options/toolbox-options.js';
export type { Decision } from './permission/decide.js';
export type { Grant, GrantOffer } from './permission/grants.js';
export { type ApprovalMode, approvalModes } from './permission/modes.js';
export type { Permission } from './permission/permission.js';
export { placesToProtect } from './permission/places-to-protect.js';
export type { RuleText, Verdict } from './permission/rules.js';
export { remarksOnWorkspace } from './permission/wide-workspace.js';
export { describeEffect, networkReach } from './permission/wording.js';
export type { AgentPiece, FoundAgents } from './pieces/agents/agent-piece.js';
export { type ExpandedCommand, expandCommand } from './pieces/commands/expand-command.js';
export type { FoundCommands } from './pieces/commands/find-commands.js';
export { type CommandPlace, type CustomCommand, readCommand } from './pieces/commands/read-command.js';
export { openDigests } from './pieces/extension-digests.js';
export type { AskedHook, AskHooks } from './pieces/hooks/ask-hooks.js';
export { describeHook, type Hook, type HookEvent, type HookFile, hookEvents } from './pieces/hooks/hook.js';
export { type ReadHooks, readHooks } from './pieces/hooks/read-hooks.js';
export { describePieceProblem, type PieceFolder, type PieceProblem } from './pieces/piece.js';
export { findSkills, isSkillName, type Skills } from './pieces/skills/find-skills.js';
export { readSkill, type Skill } from './pieces/skills/read-skill.js';
export { type Answer, outcomeOf } from './question/answers.js';
export { describeWinner, explanationSentences } from './question/explanation-words.js';
export {
  confirmParked,
  findParked,
  type ParkedQuestion,
  type ParkedRun,
  parkedQuestions,
  parkedRuns,
  removeParkedRun,
  saveParkedRun,
} from './question/parked-runs.js';
export { type CallQuestion, type QuestionPart, wordQuestion } from './question/question.js';
export { questionDigest } from './question/question-digest.js';
export { questionLines } from './question/question-lines.js';
export { readRecording, recordingOfSession } from './recording/read-recording.js';
export { openRecorder, type RecordedAgent, type Recorder, type RecorderOptions } from './recording/record.js';
export type {
  RecordedAnswer,
  RecordedEvent,
  RecordedInstructions,
  RecordedTree,
  Recording,
  RecordingHead,
  TreeFile,
} from './recording/recording.js';
export { withUnpackedTree } from './recording/unpack-tree.js';
export { type ReplayOptions, replayAgain } from './replay/replay-again.js';
export { replayRecorded } from './replay/replay-recorded.js';
export type { AnsweredCall, Difference, ReplayReport, SessionSummary } from './replay/report.js';
export type {
  CallEvent,
  CallToAnswer,
  ConfirmRequest,
  Outcome,
  SettledCall,
} from './scheduler/call.js';
export {
  type Explanation,
  explainCall,
  type ReplayedCall,
  replayDecisions,
} from './scheduler/explain-call.js';
export type { Scheduler } from './scheduler/scheduler.js';
export type {
  PromptRequest,
  ServedContent,
  ServedMessage,
  ServedPrompt,
  ServedPrompts,
  ServedResource,
  ServedResources,
  ServedTemplate,
} from './serve/offers/offers.js';
export { type ServeMcpNeeds, type ServeMcpOptions, serveMcp } from './serve/serve-mcp.js';
export type { CallError, CallRecord } from './session/call-record.js';
export { entriesFrom, entriesOfText, everyJournal, type JournalFile } from './session/every-session.js';
export { toMarkdown } from './session/export.js';
export type { SavedEntry } from './session/journal.js';
export { latestToUndo, type PastChange, pastChanges } from './session/past-changes.js';
export { openPromptHistory, type PromptHistory } from './session/prompt-history.js';
export {
  entriesOf,
  findSession,
  putJournal,
  type SavedSession,
  savedSessions,
} from './session/saved-sessions.js';
export type { Session } from './session/session.js';
export {
  deleteSession,
  type ListedSession,
  listSessions,
  type SessionPage,
  type SessionPageOptions,
  sessionOfId,
} from './session/session-list.js';
export { editSetting } from './settings/edit-setting.js';
export {
  type LoadedSettings,
  loadSettings,
  permissionRules,
  secretsInSettings,
} from './settings/load-settings.js';
export { type SettingEntry, settingList } from './settings/setting-list.js';
export { collectStats, type Stats, type StatsOptions, type ToolTotals, type Totals } from './stats/stats.js';
export { describeImport } from './switching/describe-import.js';
export { agentNames, type HomeFindings, type OtherAgent, otherAgents } from './switching/findings.js';
export { otherHomes } from './switching/homes-here.js';
export { planImport, readHome } from './switching/plan-import.js';
export {
  type TelemetryConfiguration,
  type TelemetrySettings,
  telemetryConfiguration,
} from './telemetry/configuration.js';
export {
  type ObservedAgent,
  openTelemetry,
  type Telemetry,
  type TelemetryOptions,
} from './telemetry/telemetry.js';
export type {
  Caller,
  CallerAnswers,
  CallerMethod,
  CallerRequest,
  CallerRequests,
} from './tools/caller/caller.js';
export { type FalseClaim, type FalseClaims, openFalseClaims } from './tools/definition/false-claims.js';
export {
  type DefinitionFinding,
  type JudgedDefinition,
  judgeDefinition,
} from './tools/definition/judge-definition.js';
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
export { messageForUser } from './tools/display/message-for-user.js';
export { EditTool } from './tools/edit.js';
export { GlobTool } from './tools/glob.js';
export { GrepTool } from './tools/grep.js';
export { LSTool } from './tools/ls.js';
export { confineServers, type ServerConfinement } from './tools/mcp/confine-server.js';
export { type HowServerRuns, howServerRuns, unwritableVariables } from './tools/mcp/how-it-runs.js';
export { DiscoveredMCPTool, judgedMcpTool, mcpToolName } from './tools/mcp/mcp-tool.js';
export type { McpOptions } from './tools/mcp/open-servers.js';
export { readUserImage } from './tools/media/user-image.js';
export { type FactStore, type FactStores, type MemoryScope, openFacts } from './tools/memory/fact-store.js';
export { MemoryTool } from './tools/memoryTool.js';
export {
  type DefinedTool,
  defineTool,
  type ToolContext,
  type ToolDefinition,
  type ToolHost,
} from './tools/own/define-tool.js';
export type { OwnTools } from './tools/own/open-own-tools.js';
export type { OwnToolsOptions, ToolFolder } from './tools/own/own-sources.js';
export type { StandardSchema, ToolParameters } from './tools/own/parameters.js';
export { toolFileNamed } from './tools/own/tool-file.js';
export type { AnyTool } from './tools/own/tool-shape.js';
export { ReadFileTool } from './tools/read-file.js';
export { ReadManyFilesTool } from './tools/read-many-files.js';
export { listWorkspaceFiles } from './tools/search/workspace-files.js';
export {
  createSearchProvider,
  type SearchOptions,
  searchProblem,
  trySearch,
} from './tools/search-providers/create-search-provider.js';
export { describeJob } from './tools/shell/job-words.js';
export { createLiveText, plainOutput } from './tools/shell/output/plain-output.js';
export { ShellTool } from './tools/shell.js';
export type { AskForm } from './tools/task/ask-user.js';
export { itemsIn, type TodoItem, todoIn, todoText } from './tools/task/todo.js';

export type { EditorText, EditorTextState } from './tools/text-change/editor-text.js';
export {
  type DiscoveryReport,
  describeOrigin,
  type RegisteredTool,
  type ToolOrigin,
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
export { TOO_MANY } from './trust/examine-folder.js';
export { openTrustStore, type TrustState, type TrustStore } from './trust/trust-store.js';
