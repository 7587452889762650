import { sha256OfText } from '@toolwright/machine/base/digest/sha256.js';
import { isJsonObject } from '@toolwright/machine/base/json.js';
import type { CompiledInput } from '@toolwright/machine/host/compile-file.js';
import { openCachedJson } from '@toolwright/machine/host/state/cached-json.js';
import type { StateFolder } from '@toolwright/machine/host/state/state-folder.js';
import type { ToolFacts } from './tool-facts.js';

/** The facts about a file's tools that were found when it last ran, so that a start need not run it. */
export interface KnownFacts {
  /** Null when the file or one of its imports has changed since. */
  read(): Promise<ToolFacts[] | null>;
  /** True when these are other facts than before. */
  keep(facts: ToolFacts[]): Promise<boolean>;
}

/** To be raised when facts are found in another way. */
const VERSION = 1;

export function openKnownFacts(
  state: Pick<StateFolder, 'pathOf' | 'make'>,
  path: string,
  inputs: readonly CompiledInput[],
): KnownFacts {
  const cache = openCachedJson(state, 'tool-facts', `${VERSION} ${process.versions.node} ${path}`);
  const stamp = sha256OfText(JSON.stringify(inputs));
  let known: string | null = null;
  return {
    async read() {
      const kept = await cache.read();
      if (kept?.['stamp'] !== stamp || !isFacts(kept['facts'])) return null;
      known = JSON.stringify(kept['facts']);
      return kept['facts'];
    },
    async keep(facts) {
      const text = JSON.stringify(facts);
      if (text === known) return false;
      known = text;
      await cache.write({ stamp, facts });
      return true;
    },
  };
}

function isFacts(value: unknown): value is ToolFacts[] {
  return (
    Array.isArray(value) &&
    value.every(
      (each) =>
        isJsonObject(each) &&
        [each['name'], each['displayName'], each['description']].every((text) => typeof text === 'string') &&
        isJsonObject(each['parameterSchema']) &&
        Array.isArray(each['has']),
    )
  );
}
