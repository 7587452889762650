export { terminalSafe } from '@toolwright/machine/base/terminal-safe.js';
export { createFakeClock, createFixedIds, type FakeClock } from '@toolwright/machine/testing/fakes.js';
export { type GuardedFetchOptions, guardedFetch } from '@toolwright/machine/testing/guarded-fetch.js';
export {
  createTempWorkspace,
  type TempWorkspace,
  type TempWorkspaceOptions,
} from '@toolwright/machine/testing/temp-workspace.js';
export { type CallBench, type CallBenchOptions, createCallBench } from './call-bench.js';
export { checkTool, type ToolSamples } from './check-tool.js';
export { watchReadOnlyCall } from './checks/claims.js';
export { describeTool, type TestRunner } from './describe-tool.js';
export { type FakeModelServer, startFakeModelServer } from './fake-model-server.js';
export type { Finding } from './finding.js';
export { type Grade, type GradeOptions, gradeTool, type ToolReport } from './grading/grade-tool.js';
export {
  type FoundToolTest,
  findToolTest,
  readToolTest,
  runToolTest,
  type ToolTest,
  type ToolTestCall,
} from './grading/tool-test.js';
export { type ScriptedConfirm, scriptedConfirm } from './scripted-confirm.js';
export { type ScriptedToolOptions, scriptedTool } from './scripted-tool.js';
