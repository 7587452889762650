import { keepsCodeOfServers } from './mcp/workspace-code.js';

keepsCodeOfServers('auto-edit with rules', [
  '--approval-mode',
  'auto-edit',
  '--allowed-tools',
  'Edit(**)',
  '--allowed-tools',
  'Shell(sed)',
]);
