import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import type { BuildFailure, BuildOptions, BuildResult, Message, Plugin } from 'esbuild';
import { messageOf } from '../base/errors.js';
import { isJsonObject, type JsonObject } from '../base/json.js';
import { packageProblem } from '../base/optional-package.js';
import { readRegularFile } from './plain-files/regular-file.js';
import { openCachedJson } from './state/cached-json.js';
import type { StateFolder } from './state/state-folder.js';

/** A file and all its imports as one script. */
export interface CompiledFile {
  code: string;
  /** Source map of the code, as JSON. */
  map: string;
  inputs: CompiledInput[];
}

export interface CompiledInput {
  path: string;
  /** SHA-256 of the content; for files in `node_modules`, which are many, size and modification time. */
  stamp: string;
}

type Esbuild = typeof import('esbuild');

const COMPILER = 1;

export interface CompileFileOptions {
  /** Keeps the result. */
  state: Pick<StateFolder, 'pathOf' | 'make'>;
  /** Modules that whoever runs the script provides. */
  provided: string[];
}

/** Compiles a file of TypeScript or JavaScript. An earlier result is reused while none of its inputs changed. */
export async function compileFile(
  path: string,
  { state, provided }: CompileFileOptions,
): Promise<CompiledFile> {
  const cache = openCachedJson(state, 'tool-files', `${COMPILER} ${process.versions.node} ${path}`);
  const kept = compiledIn(await cache.read());
  if (kept?.inputs.every((input) => stampOf(input.path) === input.stamp)) return kept;
  const compiled = await compile(path, provided);
  await cache.write({ ...compiled });
  return compiled;
}

/**
 * Keeps esbuild from waiting for ever for a named pipe, be it an imported file or a `package.json` in a folder above
 * one.
 */
const onlyRegularFiles: Plugin = {
  name: 'only regular files',
  setup({ onResolve, onLoad }) {
    const answer = (problem: string | null) => (problem === null ? null : { errors: [{ text: problem }] });
    onResolve({ filter: /.*/ }, ({ path, resolveDir }) => answer(irregularOnTheWay(path, resolveDir)));
    onLoad({ filter: /.*/, namespace: 'file' }, ({ path }) => answer(irregular(path)));
  },
};

function irregularOnTheWay(path: string, from: string): string | null {
  const above = foldersAbove(isAbsolute(path) ? path : resolve(from, path));
  const isName = !isAbsolute(path) && !path.startsWith('.');
  const modules = isName
    ? foldersAbove(join(from, 'x')).map((folder) => join(folder, 'node_modules', path))
    : [];
  for (const folder of [...above, ...modules]) {
    const problem = irregular(join(folder, 'package.json'));
    if (problem !== null) return problem;
  }
  return null;
}

function foldersAbove(path: string): string[] {
  const above = dirname(path);
  return above === path ? [] : [above, ...foldersAbove(above)];
}

function irregular(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined || found.isFile() ? null : `${path} is not a regular file`;
}

const fixedOptions = {
  bundle: true,
  write: false,
  metafile: true,
  sourcemap: 'external',
  sourcesContent: false,
  format: 'cjs',
  platform: 'node',
  target: 'node20',
  define: { 'import.meta.url': 'importMetaUrl' },
  // The project's own configuration is for its own code only.
  tsconfigRaw: { compilerOptions: { target: 'es2022' } },
  logLevel: 'silent',
  plugins: [onlyRegularFiles],
} satisfies BuildOptions;

let builds = 0;

async function loadEsbuild(): Promise<Esbuild> {
  try {
    return (await import('esbuild')).default;
  } catch (error) {
    throw packageProblem('esbuild', error);
  }
}

/** esbuild runs in its own process, which ends with the last build. */
async function withEsbuild<Result>(work: (esbuild: Esbuild) => Promise<Result>): Promise<Result> {
  const esbuild = await loadEsbuild();
  builds += 1;
  try {
    return await work(esbuild);
  } finally {
    builds -= 1;
    if (builds === 0) await esbuild.stop();
  }
}

async function compile(path: string, external: string[]): Promise<CompiledFile> {
  let result: BuildResult<typeof fixedOptions>;
  try {
    result = await withEsbuild(({ build }) =>
      build({
        ...fixedOptions,
        external,
        entryPoints: [path],
        absWorkingDir: dirname(path),
        outfile: resolve(dirname(path), `${basename(path)}.cjs`),
      }),
    );
  } catch (error) {
    throw new Error(describeFailure(path, error), { cause: error });
  }
  const text = (suffix: string): string =>
    result.outputFiles.find((file) => file.path.endsWith(suffix))?.text ?? '';
  const inputs = Object.keys(result.metafile.inputs).map((name) => resolve(dirname(path), name));
  return {
    code: text('.cjs'),
    map: text('.cjs.map'),
    inputs: inputs.map((input) => ({ path: input, stamp: stampOf(input) ?? 'gone' })),
  };
}

function compiledIn(value: JsonObject | null): CompiledFile | null {
  if (value === null) return null;
  const { code, map, inputs } = value;
  const isUsable =
    typeof code === 'string' &&
    typeof map === 'string' &&
    Array.isArray(inputs) &&
    inputs.length > 0 &&
    inputs.every(
      (input) =>
        isJsonObject(input) && typeof input['path'] === 'string' && typeof input['stamp'] === 'string',
    );
  return isUsable ? { code, map, inputs: inputs as CompiledInput[] } : null;
}

/** Null when the file is gone. */
function stampOf(path: string): string | null {
  try {
    if (!isPackage(path)) return createHash('sha256').update(readRegularFile(path)).digest('hex');
    const { size, mtimeMs } = statSync(path);
    return `${size} ${mtimeMs}`;
  } catch {
    return null;
  }
}

export function isPackage(path: string): boolean {
  return path.includes(`${sep}node_modules${sep}`);
}

function describeFailure(path: string, error: unknown): string {
  const errors = (error as Partial<BuildFailure> | undefined)?.errors;
  if (!Array.isArray(errors) || errors.length === 0) return `${path} can't be compiled: ${messageOf(error)}`;
  const [first, ...more] = errors as [Message, ...Message[]];
  const others = more.length > 0 ? ` (and ${more.length} more)` : '';
  return `${place(path, first)}: ${first.text}${others}`;
}

function place(path: string, { location }: Message): string {
  if (!location) return path;
  return `${resolve(dirname(path), location.file)}:${location.line}:${location.column + 1}`;
}
