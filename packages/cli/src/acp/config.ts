import type { SessionConfigOption, SessionModeState } from '@agentclientprotocol/sdk';
import { type Agent, type ApprovalMode, approvalModes } from '@toolwright/core';
import { efforts } from '@toolwright/core/front-end';
import type { Setup } from '../setup/runtime.js';

const modeWords: Record<ApprovalMode, { name: string; description: string }> = {
  plan: { name: 'Plan', description: 'Only looks and plans; nothing is changed.' },
  default: {
    name: 'Default',
    description: 'Asks before files are changed and before commands with effects.',
  },
  'auto-edit': { name: 'Auto-edit', description: 'Changes files of the workspace without asking.' },
  yolo: {
    name: 'Yolo',
    description: 'Asks only about protected files, secrets and anything outside the workspace.',
  },
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

/** The agent, setup and models that the choices of a session depend on. */
export interface Configured {
  agent: Pick<Agent, 'permission' | 'model'>;
  setup: Setup;
  /** Names of models that the server lists, once it has. */
  models: readonly string[];
}

/** The value for an effort that is left to the model. */
export const AS_IT_LIKES = 'default';

/** The choices that an editor shows beside the prompt. */
export function configOptionsOf({ agent, setup, models }: Configured): SessionConfigOption[] {
  const { permission, model } = agent;
  const { effort } = setup.loaded.settings.model;
  const isOffline = model.provider === 'offline';
  const names = [...new Set([model.model, ...models])];
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
      options: names.map((value) => ({ value, name: value })),
    },
    ...(isOffline ? [] : [effortOption(effort ?? AS_IT_LIKES)]),
  ];
}

function effortOption(currentValue: string): SessionConfigOption {
  return {
    id: 'effort',
    name: 'Reasoning effort',
    category: 'thought_level',
    type: 'select',
    currentValue,
    options: [
      { value: AS_IT_LIKES, name: 'Default', description: "The model's default." },
      ...efforts.map((value) => ({ value, name: value })),
    ],
  };
}
