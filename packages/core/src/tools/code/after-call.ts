import type { Effect } from '@toolwright/machine/base/effect.js';
import type { ChangeSet } from '@toolwright/machine/changes/change-set.js';
import type { Languages } from '../../languages/languages.js';
import type { ToolRegistry } from '../tool-registry.js';
import type { Tool } from '../tools.js';

/** A call that was carried out. */
export interface FinishedCall {
  effects: readonly Effect[];
  /** The id of the change set that it has committed. */
  changeSet?: string | undefined;
}

/** The steps after a call: tools for the files that it met, and the errors that its change has brought. */
export interface AfterCall {
  /** Sentences for the model. Never throws. */
  tell(call: FinishedCall, signal: AbortSignal): Promise<string[]>;
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
    async tell({ effects, changeSet }, signal) {
      const changes = recentChanges.get(changeSet ?? '');
      const met = changes?.changes ?? effects.filter((effect) => 'path' in effect);
      const paths = met.map(({ path }) => path);
      await offerToolsFor(paths);
      if (!languages || (loading === null && !paths.some(languages.isSource))) return [];
      return (await (loading ??= languages.load())).afterCall({ effects, changes }, signal);
    },
    async stop() {
      await (await loading)?.stop();
    },
  };
}
