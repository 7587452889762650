import type { Keys } from './setting-kinds.js';

/** Rules, and what is kept without one. */
export const permissionKeys = {
  allow: {
    kind: { type: 'rules' },
    description: 'Calls that need no question.',
    default: [],
    joined: true,
    literal: true,
  },
  ask: {
    kind: { type: 'rules' },
    description: 'Calls that are always asked about.',
    default: [],
    joined: true,
    literal: true,
    project: 'add',
  },
  deny: {
    kind: { type: 'rules' },
    description: 'Calls that are refused in every mode.',
    default: [],
    joined: true,
    literal: true,
    project: 'add',
  },
  offered: {
    kind: { type: 'rules' },
    description:
      'Rules that `toolwright import` brought: off until `toolwright permissions choose` makes them allow.',
    default: [],
    literal: true,
  },
  ignoredFiles: {
    kind: { type: 'choice', values: ['ask', 'keep'] },
    description:
      'What a command makes or changes and git ignores, such as caches: ask about it, or keep it without a question.',
    default: 'keep',
    project: 'stricter',
  },
} as const satisfies Keys;
