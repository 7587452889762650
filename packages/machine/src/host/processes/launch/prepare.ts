import { accessSync, constants, type Stats, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { isNodeError, ToolError } from '../../../base/errors.js';
import type { Launch, WithoutShell } from '../processes.js';

export interface Wrapping {
  /** Files to join the control group by; two where its kinds are separate. */
  joinPaths: readonly string[];
  /** The limit of file locks, which nothing uses, as a sign. */
  markDigits: string;
  /** Most processes of this user, where there is no control group. */
  userLimit: number | null;
  /** The program that has the kernel end the command when we die. */
  deathSignal: string | null;
  /** True if the starting program can hand over open files. */
  handsOver: boolean;
}

export interface Prepared {
  file: string;
  args: string[];
  /** Files to open for it, from descriptor 3 on. */
  opened?: readonly OpenedFile[];
}

export interface OpenedFile {
  path: string;
  flags: 'r' | 'r+';
}

/**
 * The process joins its group before it becomes the command, so that nothing the command starts is outside. `ulimit` has
 * another letter in each shell; a limit that can't be set does not keep the command from running.
 */
const joining = [
  '{',
  'test -z "$1" || echo 0 >"$1"',
  'test -z "$2" || echo 0 >"$2"',
  'test -z "$3" || ulimit -u "$3" || ulimit -p "$3"',
  'ulimit -S -x "$4" || ulimit -S -w "$4"',
  '} 2>/dev/null',
  'shift 4',
].join('\n');

/** Prepares a launch; without a wrapping the program starts as it is. */
export function prepareLaunch(launch: Launch, wrapping: Wrapping | null): Prepared {
  checkDirectory(launch.directory);
  const program = findProgram(launch);
  if (wrapping === null || process.platform === 'win32') return { file: program, args: [...launch.args] };
  const { joinPaths, userLimit, markDigits, deathSignal } = wrapping;
  // Starting without another shell saves a fifth of the time of a short command.
  if (deathSignal === null && launch.endsInScript && !runsBeforeScript(launch))
    return { file: program, args: withJoining(launch.args, joinPaths.map(quoted), wrapping) };
  if (launch.withoutShell && mayJoinInside(launch, wrapping))
    return joiningInside(launch.withoutShell, wrapping);
  const parameters = [joinPaths[0] ?? '', joinPaths[1] ?? '', String(userLimit ?? ''), markDigits];
  if (deathSignal === null && launch.beginsInShell) {
    const [, script = '', name = '', ...rest] = launch.args;
    return { file: program, args: ['-c', `${joining}\n${script}`, name, ...parameters, ...rest] };
  }
  const command = [program, ...launch.args];
  const bound = deathSignal === null ? command : [deathSignal, '--pdeathsig', 'KILL', '--', ...command];
  return {
    file: '/bin/sh',
    args: ['-c', `${joining}\nexec "$@"`, 'toolwright', ...parameters, ...bound],
  };
}

/** Variables that make bash do something before its script. */
const firstOfAll = /^(BASH|SHELLOPTS$)/;

function runsBeforeScript({ environment }: Launch): boolean {
  return Object.keys(environment).some((name) => firstOfAll.test(name));
}

/** A limit of the user's processes would count others inside a sandbox than outside. */
function mayJoinInside(launch: Launch, { deathSignal, userLimit, handsOver }: Wrapping): boolean {
  return handsOver && deathSignal === null && userLimit === null && !runsBeforeScript(launch);
}

const FIRST_OPENED = 3;

/** Groups are out of sight inside a sandbox, so the script is handed the open files to join by, and closes them. */
function joiningInside({ program, args, reads }: WithoutShell, wrapping: Wrapping): Prepared {
  const descriptors = wrapping.joinPaths.map((_, index) => FIRST_OPENED + reads.length + index);
  const closing = descriptors.map((descriptor) => `${descriptor}>&-`);
  const joined = withJoining(
    args,
    descriptors.map((descriptor) => `&${descriptor}`),
    wrapping,
    closing.length === 0 ? '' : `exec ${closing.join(' ')}; `,
  );
  return {
    file: program,
    args: joined,
    opened: [
      ...reads.map((path): OpenedFile => ({ path, flags: 'r' })),
      ...wrapping.joinPaths.map((path): OpenedFile => ({ path, flags: 'r+' })),
    ],
  };
}

const quoted = (path: string): string => `'${path.replaceAll("'", "'\\''")}'`;

/** The same for bash. In the same line, so that what bash says of line 3 is about line 3. */
function withJoining(
  args: readonly string[],
  targets: readonly string[],
  { userLimit, markDigits }: Wrapping,
  then = '',
): string[] {
  const steps = [
    ...targets.map((target) => `echo 0 >${target}`),
    ...(userLimit === null ? [] : [`ulimit -u ${userLimit}`]),
    `ulimit -S -x ${markDigits}`,
  ];
  return [...args.slice(0, -1), `{ ${steps.join('; ')}; } 2>/dev/null; ${then}${args.at(-1) ?? ''}`];
}

/** Synchronous, as the search for the program: looking takes less time than waking a thread. */
function checkDirectory(directory: string): void {
  try {
    if (statSync(directory).isDirectory()) return;
  } catch (error) {
    const reason = isNodeError(error, 'EACCES') ? 'may not be entered' : 'does not exist (any more)';
    throw new ToolError(
      'not_found',
      `The working directory ${directory} ${reason}. Name another one, or make it first.`,
    );
  }
  throw new ToolError(
    'not_found',
    `The working directory ${directory} is a file. Name the folder it lies in.`,
  );
}

function findProgram({ program, directory, environment }: Launch): string {
  let refused = false;
  for (const path of candidatesFor(program, directory, environment)) {
    if (!statOrNull(path)?.isFile()) continue;
    if (mayExecute(path)) return path;
    refused = true;
  }
  throw new ToolError(
    'not_found',
    refused
      ? `${program} may not be executed. Make it executable, or run it with its interpreter.`
      : `There is no program ${program}${program.includes('/') ? '' : ' in the PATH'}. Check the name, or install it.`,
  );
}

function candidatesFor(
  program: string,
  directory: string,
  environment: Readonly<Record<string, string>>,
): string[] {
  if (isAbsolute(program)) return [program];
  if (program.includes('/')) return [join(directory, program)];
  const isWindows = process.platform === 'win32';
  const name = isWindows ? Object.keys(environment).find((key) => key.toUpperCase() === 'PATH') : 'PATH';
  const folders = (environment[name ?? 'PATH'] ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
  const endings = isWindows ? ['', '.exe', '.cmd', '.bat'] : [''];
  return folders.flatMap((folder) => endings.map((ending) => join(folder, program + ending)));
}

function statOrNull(path: string): Stats | null {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

function mayExecute(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
