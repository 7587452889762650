import { isJsonObject } from '@toolwright/machine/base/json.js';
import type { CompiledInput } from '@toolwright/machine/host/compile-file.js';
import { openCachedJson } from '@toolwright/machine/host/state/cached-json.js';
import { stampOfAll } from '@toolwright/machine/host/state/inspect-files.js';
import type { StateFolder } from '@toolwright/machine/host/state/state-folder.js';
import type { ToolFacts } from './tool-facts.js';

/** A tool file as it last ran. */
export interface KnownFile {
  /** The file and its imports, with their content. */
  inputs: CompiledInput[];
  /** Changes whenever one of the inputs changes. */
  stamp: string;
  facts: ToolFacts[];
}

/** The facts about the tools of a folder's files from the last run of each, so that a start need neither compile nor run them. */
export interface KnownFacts {
  /** Null when the file is not known, or has changed since, or something it imports. */
  of(path: string): Promise<KnownFile | null>;
  keep(path: string, file: KnownFile): Promise<void>;
}

/** The version of the facts; raise it when they are found in another way. */
const VERSION = 1;
const MOST_FILES = 1_000;

export function openKnownFacts(state: Pick<StateFolder, 'pathOf' | 'make'>, folder: string): KnownFacts {
  const cache = openCachedJson(state, 'tool-facts', `${VERSION} ${process.versions.node} ${folder}`);
  let reading: Promise<Map<string, KnownFile>> | undefined;
  const known = () => (reading ??= cache.read().then((kept) => filesIn(kept?.['files'])));
  return {
    async of(path) {
      const file = (await known()).get(path);
      return file && file.stamp === stampOfAll(file.inputs.map((input) => input.path)) ? file : null;
    },
    async keep(path, file) {
      const files = await known();
      files.delete(path);
      files.set(path, file);
      await cache.write({ files: Object.fromEntries([...files].slice(-MOST_FILES)) });
    },
  };
}

function filesIn(value: unknown): Map<string, KnownFile> {
  const entries = isJsonObject(value) ? Object.entries(value) : [];
  return new Map(entries.filter((entry): entry is [string, KnownFile] => isKnownFile(entry[1])));
}

function isKnownFile(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { inputs, stamp, facts } = value;
  return (
    typeof stamp === 'string' &&
    Array.isArray(inputs) &&
    inputs.every((input) => isJsonObject(input) && isTexts(input['path'], input['stamp'])) &&
    Array.isArray(facts) &&
    facts.every(
      (each) =>
        isJsonObject(each) &&
        isTexts(each['name'], each['displayName'], each['description']) &&
        isJsonObject(each['parameterSchema']) &&
        Array.isArray(each['has']),
    )
  );
}

function isTexts(...values: unknown[]): boolean {
  return values.every((value) => typeof value === 'string');
}
