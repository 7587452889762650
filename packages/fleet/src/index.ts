export {
  type Claim,
  type Engine,
  type EngineTimes,
  type FleetEvent,
  type Objects,
  type Row,
  type Table,
  type TableName,
  usualTimes,
} from './engine/engine.js';
export { isOnServers, type OpenEngineOptions, openEngine } from './engine/open-engine.js';
export {
  changesOf,
  collectBranch,
  collectPatch,
  journalOf,
  markKept,
  patchOfTask,
} from './results/collect.js';
export { gitAuthor } from './results/git.js';
export { fromPortable, hashBefore, type PortableChanges } from './results/portable-changes.js';
export { type Report, type ReportOptions, readReport } from './results/report.js';
export { reportAsHtml } from './results/report-html.js';
export { reportAsMarkdown } from './results/report-markdown.js';
export { changesIn, countsOf, timeOf, usageOf, whyOf } from './results/report-words.js';
export { writeReport } from './results/write-report.js';
export { type BudgetLeft, budgetLeft } from './schedule/budget-left.js';
export {
  type FleetStatus,
  isOf,
  queuedTasks,
  records,
  requireRecord,
  type Submitted,
  statusOf,
  submitRows,
} from './schedule/control.js';
export { forgetTasks, removeOrphans } from './schedule/forget.js';
export { inGroups } from './schedule/in-groups.js';
export { type FleetLimits, readLimits, writeLimits } from './schedule/limits.js';
export { afterCancelling, cancelTask, retryTasks } from './schedule/orders.js';
export {
  answerDigest,
  answerQuestion,
  type QuestionAnswer,
  questionsOf,
  type WaitingQuestion,
  waitingQuestions,
} from './schedule/questions.js';
export {
  finalStates,
  findRecord,
  type KeptChanges,
  type KeptQuestion,
  type Snapshot,
  type TaskBase,
  type TaskFailure,
  type TaskOutcome,
  type TaskRecord,
  type TaskState,
  type TaskUsage,
} from './schedule/record.js';
export { createLook, someoneWorks } from './schedule/workers.js';
export type { RowDefaults, TaskRow } from './tasks/check-row.js';
export { type CheckedTasks, openRepositories, openTasks, type TaskFile } from './tasks/read-tasks.js';
export type { TaskFault } from './tasks/source-row.js';
export {
  placeOf,
  type QueueEntry,
  TASK_FORMAT,
  type Task,
  type TaskBudget,
  type TaskWorkspace,
} from './tasks/task.js';
export { openClones } from './worker/clones.js';
export { type MachineReading, openRoom, type Room, watchCores } from './worker/room.js';
export {
  type AskedQuestion,
  type OpenedTask,
  type OpenTaskAgent,
  type OpenTaskOptions,
  type RunTaskNeeds,
  runTask,
  type TaskDoing,
  type TaskEnd,
} from './worker/run-task.js';
export { runWorker, type WorkerEnd } from './worker/worker.js';
export type { WorkerOptions } from './worker/worker-options.js';
