import { basename, delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { isJsonObject } from '../../base/json.js';
import {
  add,
  addPackageFolder,
  type CodeSearch,
  foldersUp,
  isFile,
  isFolder,
  isInRoots,
  packageFolder,
  type Start,
} from './code-search.js';
import {
  CODE_ENDING,
  choosesPackage,
  codeVariables,
  type Interpreter,
  interpreters,
  launcherFolder,
  launcherValues,
  ownScripts,
  packageManagers,
  packageRunners,
  pythonRunners,
  pythonTools,
  readsHere,
  recipeRunners,
  runsPackage,
  runsScript,
  startsOthers,
  wrappers,
} from './command-table.js';
import { couldRun } from './could-run.js';
import {
  addShadows,
  type FollowOptions,
  followEntry,
  followFile,
  followInline,
  followPythonEntry,
  followPythonModule,
} from './follow-file.js';
import { addPackage, filesForImport, jsonOf } from './node-packages.js';
import { enterEnvironment } from './python-environment.js';

/** Adds the code in the roots that a command would run. */
export async function followCommand(search: CodeSearch, words: readonly string[], at: Start): Promise<void> {
  const [program, ...args] = words;
  if (program === undefined) return;
  if (/^\w+=/.test(program)) return followCommand(search, args, withVariable(at, program));
  await followVariables(search, at);
  if (at.findsPackages && !program.includes('/')) await followBin(search, program, [], at);
  const context = await followProgram(search, program, at);
  const name = basename(program).replace(/\.(exe|cmd|bat)$/i, '');
  await addReadHere(search, [name, ...args], at);
  await followArguments(search, name, args, context);
}

/** Adds the files in this folder and above it that tell the program what to run. */
async function addReadHere(
  search: CodeSearch,
  words: readonly string[],
  { directory }: Start,
): Promise<void> {
  const line = `${words.join(' ')} `;
  const names = readsHere.find(([lines]) => lines.test(line))?.[1] ?? [];
  for (const folder of foldersUp(search, directory))
    for (const name of names) await add(search, join(folder, name));
}

const options = (at: Start): FollowOptions => ({ at, command: followCommand });

function withVariable(at: Start, assignment: string): Start {
  const [name = '', ...value] = assignment.split('=');
  return { ...at, environment: { ...at.environment, [name]: value.join('=') } };
}

async function followArguments(
  search: CodeSearch,
  name: string,
  args: readonly string[],
  at: Start,
): Promise<void> {
  const interpreter = interpreters.find(([names]) => names.test(name))?.[1];
  const isTask = name === 'deno' && args.includes('task');
  if (interpreter && !isTask) await followInterpreter(search, interpreter, args, at);
  else if (name === 'deno' || packageManagers.test(name)) await followManager(search, name, args, at);
  else if (packageRunners.test(name)) await followPackage(search, args, at);
  else if (pythonRunners.test(name)) await followPythonProject(search, args, at);
  else if (pythonTools.test(name)) await followPythonTool(search, args, at);
  else if (recipeRunners.test(name)) await addPackageFolder(search, join(at.directory, '-'));
  else if (wrappers.test(name)) return followWrapped(search, args, at);
  else for (const line of args.filter((each) => /\s/.test(each))) await followLine(search, line, at);
  // A code file among the arguments is there to be run, and so is any file given to an unknown program.
  for (const word of args.flatMap((each) => each.replace(/^@/, '').split(/[=,]/)))
    if (CODE_ENDING.test(word) || (!startsOthers(name) && couldRun(word)))
      await followIfThere(search, resolve(at.directory, word), at);
}

const followLine = (search: CodeSearch, line: string, at: Start): Promise<void> =>
  followInline(search, line, { ...options({ ...at, depth: at.depth + 1 }), language: 'shell' });

async function followIfThere(search: CodeSearch, path: string, at: Start): Promise<void> {
  if (isInRoots(search, path) && (await isFile(path))) await followFile(search, path, options(at));
}

/** Adds the program itself if it lies in the roots. Returns the context for its arguments. */
async function followProgram(search: CodeSearch, program: string, at: Start): Promise<Start> {
  const follow = async (path: string): Promise<Start> => {
    const context = await enterEnvironment(search, dirname(dirname(path)), at);
    await followFile(search, path, options(context));
    return context;
  };
  if (program.includes('/')) return follow(resolve(at.directory, program));
  const folders = (at.environment['PATH'] ?? search.path).split(delimiter).filter((each) => isAbsolute(each));
  for (const folder of folders) {
    const path = join(folder, program);
    if (isInRoots(search, path)) await add(search, path);
    if (await isFile(path)) return follow(path);
  }
  return at;
}

/** Adds the code that variables of the command make it load. */
async function followVariables(search: CodeSearch, at: Start): Promise<void> {
  for (const [name, value] of Object.entries(at.environment)) {
    if (!codeVariables.test(name)) continue;
    for (const word of value.split(/[\s:=;,]+/).filter(Boolean)) {
      const path = resolve(at.directory, word);
      if (!isInRoots(search, path)) continue;
      if (await isFolder(path)) {
        if (name === 'PYTHONPATH') await addShadows(search, path);
        else if (/PATH|LIB|HOME/.test(name)) await add(search, path);
      } else if (/[./]/.test(word)) await followEntry(search, path, options(at));
    }
  }
}

async function followInterpreter(
  search: CodeSearch,
  interpreter: Interpreter,
  args: readonly string[],
  at: Start,
): Promise<void> {
  const { language, valued, loads, folders, inline, verbs } = interpreter;
  for (let index = 0; index < args.length; index++) {
    const word = args[index] as string;
    const [option = '', ...rest] = word.split('=');
    const value = rest.length > 0 ? rest.join('=') : args[index + 1];
    if (word === '--' || verbs?.test(word)) continue;
    if (language === 'python' && /^-[a-zA-Z]*m/.test(word) && !word.startsWith('--')) {
      const module = /^-[a-zA-Z]*?m(.+)$/.exec(word)?.[1] ?? args[index + 1] ?? '';
      return followPythonModule(search, module, options(at));
    }
    if (inline?.test(option)) return followInline(search, value ?? '', { ...options(at), language });
    if (word === '--run') return followPackageScript(search, value ?? '', at);
    if (word === '--test') await addPackageFolder(search, join(at.directory, '-'));
    const folder = folders?.exec(option);
    if (folder) {
      for (const each of (folder[1] || (value ?? '')).split(':'))
        await add(search, resolve(at.directory, each.replace(/\/?\*$/, '')));
      if (!folder[1] && rest.length === 0) index += 1;
    } else if (loads?.test(option)) {
      await followLoaded(search, value ?? '', interpreter, at);
      if (rest.length === 0) index += 1;
    } else if (valued.test(word)) index += 1;
    else if (!/^[-+]/.test(word)) return followScript(search, resolve(at.directory, word), interpreter, at);
  }
}

/** Follows `--import ./hook.mjs`, `-r tsx/cjs`. */
async function followLoaded(
  search: CodeSearch,
  value: string,
  { language }: Interpreter,
  at: Start,
): Promise<void> {
  const path = resolve(at.directory, value);
  if (language !== 'javascript' || (await isFile(path))) return followFile(search, path, options(at));
  for (const file of await filesForImport(search, value, join(at.directory, '-')))
    await followFile(search, file, options(at));
}

async function followScript(
  search: CodeSearch,
  path: string,
  { language }: Interpreter,
  at: Start,
): Promise<void> {
  if (language === 'javascript') return followEntry(search, path, options(at));
  if (language !== 'python') return followFile(search, path, { ...options(at), language });
  const isPackage = await isFolder(path);
  return followPythonEntry(search, isPackage ? join(path, '__main__.py') : path, options(at));
}

interface AfterOptions {
  /** Words behind the options of a launcher. */
  rest: string[];
  /** Context with the folder it works in. */
  context: Start;
  named: string[];
  /** Shell commands given as options. */
  lines: string[];
}

function afterOptions(args: readonly string[], at: Start): AfterOptions {
  let { directory } = at;
  const [named, lines]: [string[], string[]] = [[], []];
  let index = 0;
  for (; index < args.length; index++) {
    const word = args[index] as string;
    if (word === '--') {
      index += 1;
      break;
    }
    if (!word.startsWith('-')) break;
    const [option = '', ...rest] = word.split('=');
    const takesNext = rest.length === 0 && launcherValues.test(option);
    const value = rest.length > 0 ? rest.join('=') : takesNext ? (args[index + 1] ?? '') : '';
    if (launcherFolder.test(option)) directory = resolve(directory, value);
    else if (/^(-p|--package|--from|--with-editable|--spec)$/.test(option)) named.push(value);
    else if (/^(-c|--call)$/.test(option)) lines.push(value);
    if (takesNext) index += 1;
  }
  return { rest: args.slice(index), context: { ...at, directory }, named, lines };
}

async function followManager(
  search: CodeSearch,
  name: string,
  args: readonly string[],
  at: Start,
): Promise<void> {
  const first = afterOptions(args, at);
  const [verb = '', ...others] = first.rest;
  const { rest, context } = afterOptions(others, first.context);
  const isChosen = args.some((word) => choosesPackage.test(word.split('=')[0] ?? ''));
  // The manager decides by itself which of several packages that is.
  if (isChosen || /^(workspaces?|foreach)$/.test(verb) || (name === 'deno' && verb === 'task'))
    await addPackageFolder(search, join(context.directory, '-'));
  if (runsPackage.test(verb)) return followPackage(search, others, first.context);
  if (runsScript.test(verb)) {
    const [script = ''] = rest;
    if (name === 'bun' && /[./]/.test(script))
      return followEntry(search, resolve(context.directory, script), options(context));
    return followPackageScript(search, script, context);
  }
  if (ownScripts.test(verb))
    return followPackageScript(search, verb.startsWith('t') ? 'test' : verb, context);
  if (name === 'bun' && (CODE_ENDING.test(verb) || verb.includes('/')))
    return followEntry(search, resolve(context.directory, verb), options(context));
  if (name !== 'npm' && verb !== '') {
    await followPackageScript(search, verb, context);
    await followBin(search, verb, rest, context);
  }
}

/** Follows a script of package.json, and the scripts that run before and after it. */
async function followPackageScript(search: CodeSearch, script: string, at: Start): Promise<void> {
  const folder = await packageFolder(search, join(at.directory, '-'));
  const manifest = join(folder, 'package.json');
  await add(search, manifest);
  const { scripts } = await jsonOf(manifest);
  if (script === 'start' && !(isJsonObject(scripts) && 'start' in scripts))
    await followEntry(search, join(folder, 'server.js'), options(at));
  for (const name of [`pre${script}`, script, `post${script}`]) {
    const line = isJsonObject(scripts) ? scripts[name] : undefined;
    if (typeof line !== 'string') continue;
    await followInline(search, line, {
      ...options({ ...at, directory: folder, findsPackages: true }),
      language: 'shell',
    });
  }
}

/** Follows `node_modules/.bin/NAME`, here or further up, and then its arguments. */
async function followBin(
  search: CodeSearch,
  name: string,
  args: readonly string[],
  at: Start,
): Promise<void> {
  for (const folder of foldersUp(search, at.directory)) {
    const path = join(folder, 'node_modules', '.bin', name);
    await followFile(search, path, options(at));
    if (await isFile(path)) break;
  }
  if (args.length > 0) await followArguments(search, name, args, at);
}

/** Follows `npx NAME`: a package of this folder, or of one above it, comes before one from the registry. */
async function followPackage(search: CodeSearch, args: readonly string[], at: Start): Promise<void> {
  const { rest, context, named, lines } = afterOptions(args, at);
  for (const line of lines) await followLine(search, line, { ...context, findsPackages: true });
  const [spec = '', ...others] = rest;
  for (const each of [...named, spec].filter(Boolean)) {
    if (/^(\.{0,2}\/|\.{1,2}$|file:)/.test(each)) {
      const folder = resolve(context.directory, each.replace(/^file:/, ''));
      await add(search, folder);
    } else await addPackage(search, each.replace(/(?<=.)@[^/]*$/, ''), context.directory);
  }
  const program =
    spec
      .replace(/(?<=.)@[^/]*$/, '')
      .split('/')
      .at(-1) ?? '';
  if (program === '') return;
  await followBin(search, program, others, context);
  await followOwnPackage(search, [program, spec], context);
}

/** Follows the package of this folder if it has that name, or a program of that name. */
async function followOwnPackage(search: CodeSearch, names: readonly string[], at: Start): Promise<void> {
  const folder = await packageFolder(search, join(at.directory, '-'));
  const { name, bin } = await jsonOf(join(folder, 'package.json'));
  const programs = isJsonObject(bin) ? Object.keys(bin) : [];
  if (![name, ...programs].some((each) => typeof each === 'string' && names.includes(each))) return;
  await add(search, join(folder, 'package.json'));
  for (const path of typeof bin === 'string' ? [bin] : isJsonObject(bin) ? Object.values(bin) : [])
    if (typeof path === 'string') await followFile(search, resolve(folder, path), options(at));
}

/** Follows `uv run server.py`, `uv run NAME`, `poetry run python -m x`, in the project's own environment. */
async function followPythonProject(search: CodeSearch, args: readonly string[], at: Start): Promise<void> {
  const first = afterOptions(args, at);
  if (first.rest[0] === 'tool' && first.rest[1] === 'run')
    return followPythonTool(search, first.rest.slice(2), first.context);
  if (first.rest[0] !== 'run') return;
  const after = afterOptions(withoutModule(first.rest.slice(1)), first.context);
  const { rest } = after;
  for (const each of after.named) await add(search, resolve(after.context.directory, each));
  const project = await packageFolder(search, join(after.context.directory, '-'));
  await addReadHere(search, ['uv'], { ...after.context, directory: project });
  const context = await enterEnvironment(search, join(project, '.venv'), after.context);
  const [program, ...others] = rest;
  if (program === undefined) return;
  if (/\.pyw?$/.test(program))
    return followPythonEntry(search, resolve(context.directory, program), options(context));
  if (interpreters.some(([names]) => names.test(basename(program))))
    return followCommand(search, rest, context);
  // A program that the project itself provides may be any of its files.
  await addPackageFolder(search, join(project, '-'));
  await followCommand(search, [program, ...others], context);
}

/** Turns `uv run -m NAME` into `uv run python -m NAME`. */
function withoutModule(args: readonly string[]): string[] {
  const at = args.findIndex((word) => word === '-m' || word === '--module');
  const isOption = at !== -1 && args.slice(0, at).every((word) => word.startsWith('-'));
  return isOption ? [...args.slice(0, at), 'python', '-m', ...args.slice(at + 1)] : [...args];
}

async function followPythonTool(search: CodeSearch, args: readonly string[], at: Start): Promise<void> {
  const { rest, context, named } = afterOptions(args[0] === 'run' ? args.slice(1) : args, at);
  for (const each of [...named, rest[0] ?? ''])
    if (/^(\.{0,2}\/|\.{1,2}$)/.test(each)) await add(search, resolve(context.directory, each));
}

/** Follows the command behind a wrapper: it starts with the first word that is no option, variable or number. */
async function followWrapped(search: CodeSearch, args: readonly string[], at: Start): Promise<void> {
  let context = at;
  for (const [index, word] of args.entries()) {
    const folder = /^(-C|-D|--chdir)$/.test(args[index - 1] ?? '') ? word : /^--chdir=(.*)$/.exec(word)?.[1];
    if (folder !== undefined) context = { ...context, directory: resolve(context.directory, folder) };
    else if (/\s/.test(word)) await followLine(search, word, context);
    else if (/^\w+=/.test(word)) context = withVariable(context, word);
    else if (!/^-|^[\d.]+[smhd]?$|^(exec|run|x)$/.test(word)) {
      await followCommand(search, args.slice(index), context);
      // The word may have been the value of an option; then the command comes later.
      if (args[index - 1]?.startsWith('-')) await followWrapped(search, args.slice(index + 1), context);
      return;
    }
  }
}
