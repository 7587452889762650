import type { SessionConfigOption, SessionModeState } from '@agentclientprotocol/sdk';
import { type Agent, type ApprovalMode, approvalModes } from '@toolwright/core';

const modeWords: Record<ApprovalMode, { name: string; description: string }> = {
  plan: { name: 'Plan', description: 'Looks around and plans; nothing is changed.' },
  default: {
    name: 'Default',
    description: 'Asks before files are changed and before commands with effects.',
  },
  'auto-edit': { name: 'Auto-edit', description: 'Changes files of the workspace without asking.' },
  yolo: { name: 'Yolo', description: 'Asks only about protected files, secrets and places outside.' },
};

export function isMode(value: unknown): value is ApprovalMode {
  return approvalModes.some((mode) => mode === value);
}

export function modesOf({ permission }: Pick<Agent, 'permission'>): SessionModeState {
  return {
    currentModeId: permission.mode,
    availableModes: approvalModes.map((id) => ({ id, ...modeWords[id] })),
  };
}

/** The choices that an editor shows beside the prompt. */
export function configOptionsOf({
  permission,
  model,
}: Pick<Agent, 'permission' | 'model'>): SessionConfigOption[] {
  return [
    {
      id: 'mode',
      name: 'Mode',
      category: 'mode',
      type: 'select',
      currentValue: permission.mode,
      options: approvalModes.map((value) => ({ value, ...modeWords[value] })),
    },
    {
      id: 'model',
      name: 'Model',
      category: 'model',
      type: 'select',
      currentValue: model.model,
      options: [{ value: model.model, name: model.model }],
    },
  ];
}
