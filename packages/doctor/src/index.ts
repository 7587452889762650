export { type ExamineOptions, examineSandbox, type SandboxExamination } from './sandbox/examine-sandbox.js';
export type { DoctorFinding, DoctorLevel, DoctorStage, ServerExamination } from './servers/examination.js';
export { type DoctorParts, examineServer, tryServer } from './servers/examine-server.js';
