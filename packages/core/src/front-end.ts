export {
  formatAbout,
  formatBytes,
  formatDuration,
  formatNumber,
  plural,
} from '@toolwright/machine/base/amounts.js';
export { answerTextOf } from '@toolwright/machine/base/content.js';
export { isAbortReason, messageOf } from '@toolwright/machine/base/errors.js';
export { isJsonObject, jsonIn, jsonObjectIn } from '@toolwright/machine/base/json.js';
export { validate as validateJson } from '@toolwright/machine/base/json-schema/json-schema.js';
export { didYouMean, nearest } from '@toolwright/machine/base/nearest.js';
export { oneAtATime } from '@toolwright/machine/base/one-at-a-time.js';
export { paceOf, rateWords, timeLeftWords } from '@toolwright/machine/base/pace.js';
export { secretsInEnvironment } from '@toolwright/machine/base/secrets/known-secrets.js';
export { createRedactor } from '@toolwright/machine/base/secrets/redact.js';
export {
  createTerminalSafe,
  terminalSafe,
  terminalSafeJson,
  terminalSafeLine,
  unfinishedEnd,
} from '@toolwright/machine/base/terminal-safe.js';
export type { KeptWork, ReviewedWork } from '@toolwright/machine/changes/apart/work-apart.js';
export { summarize } from '@toolwright/machine/changes/change-set.js';
export type { Choice } from '@toolwright/machine/changes/review/choose.js';
export type { ReviewHunk } from '@toolwright/machine/changes/review/hunks.js';
export { mergeWithPresent } from '@toolwright/machine/changes/review/merge-present.js';
export type { Review, ReviewItem } from '@toolwright/machine/changes/review/review.js';
export type { AboutApart } from '@toolwright/machine/host/apart/about-apart.js';
export type { ApartFolders, ListedApart } from '@toolwright/machine/host/apart/apart-folders.js';
export {
  clipboardImage,
  clipboardPrograms,
  copyToClipboard,
} from '@toolwright/machine/host/clipboard/clipboard.js';
export { deadlineIn, unlessAborted, whenAborted, withinDeadline } from '@toolwright/machine/host/deadline.js';
export { editText } from '@toolwright/machine/host/editor/edit-text.js';
export { createHttp } from '@toolwright/machine/host/http/http.js';
export type { Job, Jobs } from '@toolwright/machine/host/jobs/jobs.js';
export {
  isFromBeforeRestart,
  type Lease,
  lifeOf,
  ownLease,
  readLease,
} from '@toolwright/machine/host/leases/lease.js';
export { createClock, createIds } from '@toolwright/machine/host/node-host.js';
export { readRegularFile } from '@toolwright/machine/host/plain-files/regular-file.js';
export { closeInheritedDescriptors, spawn } from '@toolwright/machine/host/processes/launch/child-process.js';
export { freeMemory, ownMemory } from '@toolwright/machine/host/processes/own-memory.js';
export { stampOfAll } from '@toolwright/machine/host/state/inspect-files.js';
export { createLog } from '@toolwright/machine/host/state/log.js';
export { openStateFolder, stateFolderPath, usableHome } from '@toolwright/machine/host/state/state-folder.js';
export { createWorkspace, pathFromHome, showPath } from '@toolwright/machine/host/workspace.js';
export type { McpCatalogue } from '@toolwright/mcp/catalogue/catalogue.js';
export {
  differences as pinDifferences,
  differencesAsDiff as pinDifferencesAsDiff,
  type PinDifference,
} from '@toolwright/mcp/catalogue/pins.js';
export type { ServedServer } from '@toolwright/mcp/catalogue/served-server.js';
export type { OtherCode } from '@toolwright/mcp/catalogue/start-consent.js';
export { type McpToolCost, mcpToolCost } from '@toolwright/mcp/catalogue/tool-cost.js';
export type { McpPrompt } from '@toolwright/mcp/contract/connection.js';
export { parseServerCommand } from '@toolwright/mcp/contract/server-config.js';
export { openSessionsApart } from './apart/apart-on-disk.js';
export { keptWords, NOTHING_KEPT } from './apart/kept-words.js';
export { checkWork } from './apart/race/check-work.js';
export { type Race, type Runner, type RunnerOptions, runRace } from './apart/race/race.js';
export type { CheckResult, RaceEvent, RaceState, RunnerState } from './apart/race/race-state.js';
export { sideBySide } from './apart/race/side-by-side.js';
export { type KeptTry, type TriedCommand, tryCommand } from './apart/try-command.js';
export { refusedUnseenOfWork } from './apart/unseen-changes.js';
export { modelInReach } from './create-model.js';
export { comparisonSentences } from './eval/comparison.js';
export { type EvalRun, type EvalSummary, summariesOf, summarise } from './eval/results.js';
export { type DoneEval, type EvalWork, runEval } from './eval/run-eval.js';
export { broughtServers } from './extensions/brought-servers.js';
export { formatNames } from './extensions/extension.js';
export { type ExtensionContents, foldersOf, readContents } from './extensions/extension-contents.js';
export { type ExtensionFinding, extensionAspects, findingsOf } from './extensions/extension-findings.js';
export {
  extensionRoot,
  type InstalledExtension,
  installedExtensions,
  saveInstalled,
} from './extensions/installed-extensions.js';
export { pageDifference } from './extensions/page-difference.js';
export {
  type LookedAt,
  lookAtInstalled,
  type PreparedExtension,
  prepareExtension,
  requireInstalled,
} from './extensions/prepare-extension.js';
export { projectExtensions } from './extensions/project-extensions.js';
export { readExtension } from './extensions/read-extension.js';
export { describeSource, type ExtensionSource, parseSource } from './extensions/source.js';
export { describeErrors, type NewErrors, summarizeErrors } from './languages/describe-errors.js';
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
export type { ContextNode, ContextState } from './memory/context-tree.js';
export { factKey } from './memory/fact-text.js';
export { openContextFiles } from './memory/open-context.js';
export { keyVariables } from './model/accounts.js';
export { costOf, openModelTable } from './model/catalogue/model-table.js';
export { type TriedModel, tryModel } from './model/catalogue/try-model.js';
export type { Dialect } from './model/schema/dialects.js';
export { showTool } from './model/show-tool.js';
export { efforts } from './model/tuning.js';
export { placesToProtect } from './permission/places-to-protect.js';
export { remarksOnWorkspace } from './permission/wide-workspace.js';
export { describeEffect } from './permission/wording.js';
export type { FoundAgents } from './pieces/agents/agent-piece.js';
export { expandCommand } from './pieces/commands/expand-command.js';
export { type CustomCommand, readCommand } from './pieces/commands/read-command.js';
export { openDigests } from './pieces/extension-digests.js';
export type { AskedHook } from './pieces/hooks/ask-about-tool.js';
export { describeHook, type Hook, type HookEvent, hookEvents } from './pieces/hooks/hook.js';
export { readHooks } from './pieces/hooks/read-hooks.js';
export { describePieceProblem, type PieceProblem } from './pieces/piece.js';
export { findSkills, isSkillName, type Skills } from './pieces/skills/find-skills.js';
export { readSkill, type Skill, skillBody } from './pieces/skills/read-skill.js';
export { outcomeOf } from './question/answers.js';
export { wordDeletions } from './question/deletions.js';
export { describeWinner, explanationSentences, verdictWords } from './question/explanation-words.js';
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
export { outputHeading } from './question/question.js';
export { questionDigest } from './question/question-digest.js';
export { questionLines } from './question/question-lines.js';
export { readRecording, recordingOfSession } from './recording/read-recording.js';
export { openRecorder } from './recording/record.js';
export type { Recording } from './recording/recording.js';
export { withUnpackedTree } from './recording/unpack-tree.js';
export { replayAgain } from './replay/replay-again.js';
export { replayRecorded } from './replay/replay-recorded.js';
export type { Difference, ReplayReport } from './replay/report.js';
export {
  type Explanation,
  explainCall,
  type ReplayedCall,
  replayDecisions,
} from './scheduler/explain-call.js';
export { sampleForHooks } from './scheduler/hooked-call.js';
export { describeCall } from './scheduler/prepare-call.js';
export { entriesFrom, entriesOfText, everyJournal } from './session/every-session.js';
export { toMarkdown } from './session/export.js';
export { latestToUndo } from './session/past-changes.js';
export { openPromptHistory, type PromptHistory } from './session/prompt-history.js';
export {
  entriesOf,
  findSession,
  putJournal,
  type SavedSession,
  savedSessions,
} from './session/saved-sessions.js';
export type { JournalFile } from './session/session-order.js';
export { editSetting } from './settings/edit-setting.js';
export {
  type LoadedSettings,
  loadSettings,
  permissionRules,
  secretsInSettings,
} from './settings/load-settings.js';
export { type SettingEntry, settingList } from './settings/setting-list.js';
export { collectStats, type Stats, statsOfSession, type ToolTotals, type Totals } from './stats/stats.js';
export { describeImport } from './switching/describe-import.js';
export { agentNames, type HomeFindings, type OtherAgent, otherAgents } from './switching/findings.js';
export { otherHomes } from './switching/homes-here.js';
export { planImport, readHome } from './switching/plan-import.js';
export { type TelemetrySettings, telemetryConfiguration } from './telemetry/configuration.js';
export { openTelemetry } from './telemetry/telemetry.js';
export { openFalseClaims } from './tools/definition/false-claims.js';
export { type DefinitionFinding, judgeDefinition } from './tools/definition/judge-definition.js';
export { messageForUser } from './tools/display/message-for-user.js';
export { describeOrigin } from './tools/loading/tool-origin.js';
export { confineServers, type ServerConfinement } from './tools/mcp/confine-server.js';
export { type HowServerRuns, howServerRuns, unwritableVariables } from './tools/mcp/how-it-runs.js';
export { judgedMcpTool, mcpToolName } from './tools/mcp/mcp-tool.js';
export { readUserImage } from './tools/media/user-image.js';
export { type FactStore, type MemoryScope, openFacts } from './tools/memory/fact-store.js';
export { toolFileNamed } from './tools/own/tool-file.js';
export { listWorkspaceFiles } from './tools/search/workspace-files.js';
export {
  createSearchProvider,
  searchProblem,
  trySearch,
} from './tools/search-providers/create-search-provider.js';
export { describeJob } from './tools/shell/job-words.js';
export { createLiveText, plainOutput } from './tools/shell/output/plain-output.js';
export { itemsIn, type TodoItem, todoIn, todoText } from './tools/task/todo.js';
export { contextFilesThere } from './trust/context-files-there.js';
export { TOO_MANY } from './trust/examine-folder.js';
export { openTrustStore, type TrustState, type TrustStore } from './trust/trust-store.js';
