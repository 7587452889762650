export type { FileDiff, FileDiffEntry } from './base/content.js';
export { isToolError, ToolError, type ToolErrorCode } from './base/errors.js';
export {
  type ChangeSet,
  type DirectoryVersion,
  effectsOf,
  type FileChange,
  type FileVersion,
  isEmptyChangeSet,
  type LinkVersion,
  summarize,
} from './changes/change-set.js';
export type { PathWarning, Refused } from './changes/staged-run/staged-run.js';
export type { OutputStream, StopReason } from './host/processes/processes.js';
export type { SandboxMode, SandboxNetwork } from './host/sandbox/sandbox.js';
export {
  type RunStagedOptions,
  runStaged,
  type StagedCommand,
  type StagingOptions,
  type Undone,
  undo,
} from './run-staged.js';
