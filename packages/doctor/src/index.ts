export {
  type ExamineOptions,
  examineSandbox,
  type SandboxExamination,
  type SandboxGuarantee,
} from './sandbox/examine-sandbox.js';
export type { DoctorFinding, DoctorLevel, DoctorStage, ServerExamination } from './servers/examination.js';
export { type DoctorNeeds, examineServer, tryServer } from './servers/examine-server.js';
