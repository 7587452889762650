import { join } from 'node:path';
import type { Agent } from '@toolwright/core';
import { deadlineIn, readRegularFile } from '@toolwright/core/front-end';
import { safeLine } from '../../app/safe-text.js';
import type { Front } from '../../ui/front.js';

const SANDBOX_LIMIT_MS = 20_000;
/** The size that the agent assumes where it is not told. */
const ASSUMED_WINDOW = 128_000;

/** The size of the model's window, and whether it is known. */
export function windowOf({ model, factsOf }: Pick<Agent, 'model' | 'factsOf'>): {
  tokens: number;
  isKnown: boolean;
} {
  const known = factsOf(model.model).contextWindow ?? model.capabilities?.contextWindow;
  return { tokens: known ?? ASSUMED_WINDOW, isKnown: known !== undefined };
}

/** Keeps the status line true: at the beginning, after each turn, and when a job begins or ends. */
export interface StatusHere {
  refresh(): void;
  stop(): void;
}

export function openStatus(agent: Agent, front: Pick<Front, 'dispatch'>): StatusHere {
  let isOpen = true;
  const tell = (status: Parameters<typeof statusEvent>[0]): void => {
    if (isOpen) front.dispatch(statusEvent(status));
  };
  async function refresh(): Promise<void> {
    const { model: client, permission } = agent;
    const { prices } = agent.factsOf(client.model);
    tell({
      model: safeLine(client.provider === 'offline' ? 'offline model' : client.model),
      mode: permission.mode,
      contextWindow: windowOf(agent).tokens,
      prices: prices ?? null,
    });
    tell({ branch: branchOf(agent.host.workspace.directory) });
  }
  async function countJobs(): Promise<void> {
    const all = await agent.commands.shell.jobs.list();
    tell({ jobs: all.filter(({ endedAt }) => endedAt === null).length });
  }
  const ignore = (): void => undefined;
  const unlisten = agent.commands.shell.jobs.onChange(() => void countJobs().catch(ignore));
  void refresh().catch(ignore);
  void agent.commands.sandbox
    .state(deadlineIn(SANDBOX_LIMIT_MS))
    .then(({ sentence }) => tell({ sandbox: sandboxWord(sentence) }))
    .catch(ignore);
  return {
    refresh: () => void refresh().catch(ignore),
    stop() {
      isOpen = false;
      unlisten();
    },
  };
}

function statusEvent(status: Partial<Front['state']['working']['status']>) {
  return { type: 'status-changed', status } as const;
}

function sandboxWord(sentence: string): string {
  return /^confined/.test(sentence) ? 'confined' : 'not confined';
}

const MOST_HEAD_BYTES = 400;

/** The branch of the repository in this folder; empty where there is none. */
function branchOf(directory: string): string {
  try {
    const head = readRegularFile(join(directory, '.git', 'HEAD'), MOST_HEAD_BYTES).toString('utf8');
    const name = /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1];
    return safeLine(name ?? head.trim().slice(0, 7));
  } catch {
    return '';
  }
}
