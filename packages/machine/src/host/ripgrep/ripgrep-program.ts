import { constants, statSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { orNull, ToolError } from '../../base/errors.js';
import type { Place } from '../plain-files/place.js';
import { mayAccess } from '../plain-files/regular-file.js';
import { isInside } from '../workspace.js';

/** Places to look for ripgrep. Everything has a default. */
export interface RipgrepOptions {
  /** The program; nothing else is tried. */
  program?: string;
  /** Files or file URLs from which the packages are resolved. */
  from?: readonly string[];
  environment?: Readonly<Record<string, string | undefined>>;
  /** Leads to the folders that are searched. */
  place?: Place;
}

export const RIPGREP_VARIABLE = 'TOOLWRIGHT_RIPGREP';

/** Finds the given program, else the one of the installed package, else `rg` in PATH. */
export async function findRipgrep(options: RipgrepOptions = {}): Promise<string> {
  const environment = options.environment ?? process.env;
  const named = options.program ?? environment[RIPGREP_VARIABLE];
  if (named) {
    if (isProgram(named)) return named;
    const source = options.program ? 'The ripgrep program given' : RIPGREP_VARIABLE;
    throw new ToolError('failed', `${source} is ${named}, which is not an executable file.`);
  }
  const packaged = findPackaged(options.from ?? ownFiles());
  if (packaged !== null && isProgram(packaged)) return packaged;
  const system = findInPath(environment['PATH'] ?? '');
  if (system !== null) return system;
  throw new ToolError(
    'failed',
    `Searching needs ripgrep, and none was found: the package ${platformPackage} is not installed beside ` +
      `Toolwright, and no rg is in PATH. Install ripgrep, or set ${RIPGREP_VARIABLE} to its program file.`,
  );
}

const platformPackage = `@vscode/ripgrep-${process.platform}-${process.arch}`;
const programName = process.platform === 'win32' ? 'rg.exe' : 'rg';

/** The files to resolve packages from: this module, or the bundle it is part of, which has no module URL. */
function ownFiles(): string[] {
  const bundle = typeof __filename === 'string' ? __filename : undefined;
  return [import.meta.url, bundle, process.argv[1]].filter((place) => typeof place === 'string');
}

function findPackaged(from: readonly string[]): string | null {
  for (const place of from) {
    const direct = findAbove(place) ?? resolveFrom(place, `${platformPackage}/bin/${programName}`);
    if (direct !== null) return direct;
    const wrapper = resolveFrom(place, '@vscode/ripgrep');
    const nested = wrapper && resolveFrom(wrapper, `${platformPackage}/bin/${programName}`);
    if (nested) return nested;
  }
  return null;
}

/** Looks where an installation usually puts it: asking Node takes a good part of the time of a search. */
function findAbove(place: string): string | null {
  let folder = dirname(place.startsWith('file:') ? fileURLToPath(place) : resolve(place));
  for (;;) {
    const program = join(folder, 'node_modules', platformPackage, 'bin', programName);
    if (isProgram(program)) return program;
    if (dirname(folder) === folder) return null;
    folder = dirname(folder);
  }
}

/** The module is seldom needed, and takes longer to load than the rest of this file. */
function resolveFrom(place: string, request: string): string | null {
  return orNull(() => process.getBuiltinModule('node:module').createRequire(place).resolve(request));
}

/** Skips folders that are relative to the current one or inside it, which could hold a program of the workspace. */
function findInPath(path: string): string | null {
  const outside = (folder: string) => isAbsolute(folder) && !isInside(resolve(folder), process.cwd());
  for (const folder of path.split(delimiter).filter(outside)) {
    const candidate = join(folder, programName);
    if (isProgram(candidate)) return candidate;
  }
  return null;
}

function isProgram(path: string): boolean {
  return mayAccess(path, constants.X_OK) && (orNull(() => statSync(path).isFile()) ?? false);
}
