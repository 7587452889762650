import { createToolbox, openState, type PlannedChanges } from '@toolwright/core';
import {
  createClock,
  createIds,
  describeImport,
  type HomeFindings,
  type OtherAgent,
  planImport,
  readHome,
} from '@toolwright/core/front-end';

/** The plan of an import from other agents. */
export interface ImportPlan {
  all: readonly HomeFindings[];
  planned: PlannedChanges;
  /** The plan in words, without the difference: what comes, what does not and why. */
  text: string;
  /** True if nothing would be changed, and no extension would come. */
  isEmpty: boolean;
  /** Changes the state folder; gives sentences about what to do next. */
  carryOut(signal: AbortSignal): Promise<string>;
}

export interface ImportNeeds {
  agents: readonly OtherAgent[];
  home: string;
  stateFolder: string;
  signal: AbortSignal;
}

/** Reads the homes and plans the changes. The state folder is the workspace: its files are changed, and changed back, like any others. */
export async function withImportPlan<Result>(
  { agents, home, stateFolder, signal }: ImportNeeds,
  work: (plan: ImportPlan) => Promise<Result>,
): Promise<Result> {
  const all: HomeFindings[] = [];
  for (const agent of agents) all.push(await readHome(agent, { home, environment: process.env, signal }));
  await openState({ path: stateFolder, host: { clock: createClock(), ids: createIds() } }).make();
  const options = { workspace: stateFolder, stateFolder, front: 'import', onlyLooks: true };
  const toolbox = await createToolbox(options);
  try {
    const planned = await planImport(all, { stateFolder, id: toolbox.host.ids.next() });
    return await work({
      all,
      planned,
      text: all.map(describeImport).join('\n\n'),
      isEmpty:
        planned.changeSet.changes.length === 0 && all.every(({ extensions }) => extensions.length === 0),
      async carryOut(within) {
        if (planned.changeSet.changes.length === 0) return 'Done.';
        const origin = { import: agents.join(' ') };
        const { id } = await toolbox.changes.commit(planned, { signal: within, origin });
        return nextSteps(all, { id, stateFolder });
      },
    });
  } finally {
    await toolbox.close();
  }
}

function nextSteps(
  all: readonly HomeFindings[],
  { id, stateFolder }: { id: string; stateFolder: string },
): string {
  const offered = all.some(({ rules }) => rules.allow.size > 0);
  const variables = all.flatMap((found) => [...found.variables.keys()]);
  return [
    'Done.',
    ...(offered ? ['To look at the rules that are off: toolwright permissions choose'] : []),
    ...(variables.length > 0
      ? [`Set these variables: ${variables.map((name) => `$${name}`).join(', ')}`]
      : []),
    `To undo all of it: toolwright undo ${id} --workspace ${stateFolder}`,
  ].join('\n');
}
