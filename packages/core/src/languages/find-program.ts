import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { isJsonObject, type JsonObject, jsonObjectIn } from '@toolwright/machine/base/json.js';
import { lookAtSync, realPathOf } from '@toolwright/machine/host/state/inspect-files.js';
import { readSmallFile } from '@toolwright/machine/host/state/read-file.js';
import { isInside } from '@toolwright/machine/host/workspace.js';
import type { Candidate, Language } from './known-servers.js';

/** A program on this machine that speaks the protocol. */
export interface FoundServer {
  words: readonly string[];
  /** The file that is run, after links: its package must be visible in the sandbox. */
  file: string;
  /** It answers questions, and is not asked about errors. */
  tellsNoErrors: boolean;
  /** The answers to its questions about its configuration. */
  settings: JsonObject;
  initializationOptions?: JsonObject | undefined;
}

interface ProgramPlaces {
  /** The folder that the server looks at. */
  root: string;
  /** Programs of the workspace are started only where the user trusts it. */
  trusted: boolean;
  /** The user's PATH. */
  path: string;
}

/** The best server for a language, or null. Nothing is ever downloaded. */
export async function findServer(language: Language, around: ProgramPlaces): Promise<FoundServer | null> {
  for (const candidate of language.candidates) {
    const found = await find(candidate, around);
    if (found)
      return {
        ...found,
        tellsNoErrors: candidate.tellsNoErrors ?? false,
        settings: settingsOf(language, around),
        initializationOptions: language.initializationOptions,
      };
  }
  return null;
}

/** The server's own settings; where they name no interpreter, with that of the workspace. */
function settingsOf({ interpreters, settings = {} }: Language, { root, trusted }: ProgramPlaces): JsonObject {
  if (!interpreters || !trusted) return settings;
  const file = interpreters.programs
    .map((program) => join(root, program))
    .find((program) => lookAtSync(program) !== null);
  const [section = '', name = ''] = interpreters.setting.split('.');
  const given = isJsonObject(settings[section]) ? settings[section] : {};
  return file === undefined ? settings : { ...settings, [section]: { [name]: file, ...given } };
}

async function find(
  candidate: Candidate,
  { root, trusted, path }: ProgramPlaces,
): Promise<Pick<FoundServer, 'words' | 'file'> | null> {
  const { program, of, args, isScript, leastMajor } = candidate;
  if (of === 'workspace' && !trusted) return null;
  const named = of === 'workspace' ? join(root, program) : onMachine(program, { root, trusted, path });
  if (named === null || lookAtSync(named)?.kind !== 'file') return null;
  const file = await realPathOf(named);
  if (leastMajor !== undefined && (await majorOf(file)) < leastMajor) return null;
  return { words: [...(isScript ? [process.execPath] : []), isScript ? file : named, ...args], file };
}

/** A program of the PATH. Folders of an untrusted workspace do not count, even where the PATH names them. */
function onMachine(program: string, { root, trusted, path }: ProgramPlaces): string | null {
  const isAllowed = (file: string): boolean => trusted || !isInside(file, root);
  if (isAbsolute(program)) return isAllowed(program) ? program : null;
  const folders = path.split(delimiter).filter(isAbsolute);
  const files = folders.map((folder) => join(folder, program));
  return files.find((file) => isAllowed(file) && lookAtSync(file)?.kind === 'file') ?? null;
}

const MOST_MANIFEST_BYTES = 256 * 1024;

/** The major version of the package around a file; 0 where there is none. */
async function majorOf(file: string): Promise<number> {
  for (let folder = dirname(file); dirname(folder) !== folder; folder = dirname(folder)) {
    const bytes = await readSmallFile(join(folder, 'package.json'), MOST_MANIFEST_BYTES).catch(() => null);
    if (bytes === null) continue;
    const version = jsonObjectIn(bytes.toString())?.['version'];
    return typeof version === 'string' ? Number.parseInt(version, 10) || 0 : 0;
  }
  return 0;
}
