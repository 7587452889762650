import type { ChangeSet } from '@toolwright/machine/changes/change-set.js';
import type { Languages } from '../../languages/languages.js';
import type { Brought, CallWithChanges } from '../../languages/tell-errors.js';
import type { ToolRegistry } from '../tool-registry.js';
import type { Tool } from '../tools.js';

/** A call that was carried out. */
export interface FinishedCall extends Omit<CallWithChanges, 'changes'> {
  /** The ids of the change sets that it has committed. */
  changeSets: readonly string[];
}

/** The steps after a call: tools for the files that it met, and the errors that its change has brought. */
export interface AfterCall {
  /** Never throws. */
  tell(call: FinishedCall, signal: AbortSignal): Promise<Brought>;
  /** Ends the language servers; they start again when they are needed. */
  stop(): Promise<void>;
}

/** A tool that is offered to the model from the first file on that it is for. */
export interface ToolForFiles {
  name: string;
  isFor(path: string): boolean;
  make(): Promise<Tool>;
}

interface AfterCallNeeds {
  /** The change sets that were committed last, by id. */
  recentChanges: ReadonlyMap<string, ChangeSet>;
  registry: Pick<ToolRegistry, 'find' | 'registerTool'>;
  tools: readonly ToolForFiles[];
  /** Language servers; null where they are switched off. Nothing of them is loaded before a source file is met. */
  languages: { isSource(path: string): boolean; load(): Promise<Languages> } | null;
}

export function createAfterCall({ recentChanges, registry, tools, languages }: AfterCallNeeds): AfterCall {
  let offers = tools;
  let loading: Promise<Languages> | null = null;

  async function offerToolsFor(paths: readonly string[]): Promise<void> {
    const wanted = offers.filter(({ isFor }) => paths.some(isFor));
    if (wanted.length === 0) return;
    offers = offers.filter((each) => !wanted.includes(each));
    for (const { name, make } of wanted)
      if (!registry.find(name)) registry.registerTool(await make(), { kind: 'builtin' });
  }

  return {
    async tell({ changeSets, ...call }, signal) {
      const changes = changeSets.flatMap((id) => recentChanges.get(id) ?? []);
      const changed = changes.flatMap((changeSet) => changeSet.changes);
      const met = changed.length > 0 ? changed : call.effects.filter((effect) => 'path' in effect);
      const paths = met.map(({ path }) => path);
      await offerToolsFor(paths);
      if (!languages || (loading === null && !paths.some(languages.isSource)))
        return { errors: [], notes: [] };
      return (await (loading ??= languages.load())).afterCall({ ...call, changes }, signal);
    },
    async stop() {
      await (await loading)?.stop();
    },
  };
}
