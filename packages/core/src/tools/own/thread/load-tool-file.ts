import { Console } from 'node:console';
import { createRequire, SourceMap, type SourceMapPayload } from 'node:module';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compileFunction, constants } from 'node:vm';
import { messageOf } from '@toolwright/machine/base/errors.js';
import type { JsonObject } from '@toolwright/machine/base/json.js';
import { type CompiledFile, compileFile } from '@toolwright/machine/host/compile-file.js';
import { type CompileOptions, refuseUnvouched } from './vouched-inputs.js';

/** Modules that the program itself provides when the file is run. */
const providedModules = ['@toolwright/core', '@toolwright/core/tool', '@toolwright/core/testing'];

/** Compiles a file that is trusted as it is. Every failure names the file, and the line if there is one. */
export async function compileTrusted(path: string, options: CompileOptions): Promise<CompiledFile> {
  const compiled = await compileFile(path, { state: options.state, provided: providedModules });
  await refuseUnvouched(path, compiled.inputs, options);
  return compiled;
}

/** A tool file to run, compiled. */
export interface ToolFileCode extends Pick<CompiledFile, 'code' | 'map'> {
  path: string;
}

export interface RunFileOptions {
  /** The module that `import … from '@toolwright/core'` gives: the running program's own. */
  core(): Promise<object>;
  /** Called for errors the file throws outside any call, with one line that names their place. */
  onStray(message: string): void;
}

/** A tool file that has run. */
export interface LoadedFile {
  exports: JsonObject;
  /** `file:line` in the tool file that an error comes from; null when it comes from elsewhere. */
  placeOf(error: unknown): string | null;
}

/** Runs a compiled file in this thread. Every failure names the file, and the line if there is one. */
export async function runToolFile(
  { path, code, map }: ToolFileCode,
  options: RunFileOptions,
): Promise<LoadedFile> {
  const core = code.includes(providedModules[0] as string) ? await options.core() : {};
  const placeOf = createPlaceOf(path, map);
  claimStrayErrors(path, (error) => {
    const place = placeOf(error);
    if (place !== null) options.onStray(`${place}: ${messageOf(error)}`);
    return place !== null;
  });
  try {
    return { exports: evaluate(path, code, core), placeOf };
  } catch (error) {
    throw new Error(`${placeOf(error) ?? path}: ${messageOf(error)}`, { cause: error });
  }
}

function evaluate(path: string, code: string, core: object): JsonObject {
  const requireThere = createRequire(path);
  const requireHere = (id: string): unknown => {
    if (id === '@toolwright/core' || id === '@toolwright/core/tool') return core;
    if (providedModules.includes(id))
      throw new Error(`${id} is for tests, which run outside; a tool file imports @toolwright/core alone.`);
    return guestModules.get(id) ?? requireThere(id);
  };
  const run = compileFunction(
    code,
    ['exports', 'require', 'module', '__filename', '__dirname', 'importMetaUrl', 'console', 'process'],
    { filename: path, importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER },
  );
  const module = { exports: {} as JsonObject };
  const url = pathToFileURL(path).href;
  run(module.exports, requireHere, module, path, dirname(path), url, toolConsole, toolProcess);
  return module.exports;
}

function createPlaceOf(path: string, map: string): LoadedFile['placeOf'] {
  return (error) => {
    const stack = error instanceof Error ? (error.stack ?? '') : '';
    const at = stack.indexOf(`${path}:`);
    const position = at === -1 ? null : /^:(\d+)(?::(\d+))?/.exec(stack.slice(at + path.length));
    if (!position) return null;
    try {
      const entry = new SourceMap(JSON.parse(map) as SourceMapPayload).findEntry(
        Number(position[1]) - 1,
        Number(position[2] ?? 1) - 1,
      );
      if (!('originalSource' in entry)) return path;
      return `${resolve(dirname(path), entry.originalSource)}:${entry.originalLine + 1}`;
    } catch {
      return path;
    }
  };
}

/** Writes to standard error: standard output belongs to the answer, or to a protocol. */
const toolConsole = Object.assign(new Console(process.stderr), { Console });

function refuseExit(code?: number | string | null): never {
  throw new Error(
    `process.exit(${code ?? ''}) was called, which would end the whole program and not only this tool. Return what there is to say, or throw a ToolError.`,
  );
}

/** The process as a tool file sees it: it can neither write into the answer nor end the program. */
const toolProcess: NodeJS.Process = new Proxy(process, {
  get(real, name) {
    if (name === 'stdout') return real.stderr;
    if (name === 'exit') return refuseExit;
    return Reflect.get(real, name);
  },
  set: (real, name, value) => name === 'exitCode' || Reflect.set(real, name, value),
});

/** Replacements for these modules; all others are Node's own. */
const guestModules: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['process', toolProcess],
  ['node:process', toolProcess],
  ['console', toolConsole],
  ['node:console', toolConsole],
]);

/** True if an error comes from the file, which is then told. */
type Claim = (error: unknown) => boolean;

const claims = new Map<string, Claim>();

/**
 * Reports errors that a tool file throws outside a call, in a timer or a promise nobody waits for, to whoever loaded
 * it. They would end the program; errors from elsewhere still do.
 */
function claimStrayErrors(path: string, claim: Claim): void {
  if (claims.size === 0) process.on('uncaughtException', take);
  claims.set(path, claim);
}

function take(error: unknown): void {
  if ([...claims.values()].some((claim) => claim(error))) return;
  process.off('uncaughtException', take);
  setImmediate(() => {
    throw error;
  });
}
