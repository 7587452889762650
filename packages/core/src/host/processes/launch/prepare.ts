import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { isNodeError, ToolError } from '../../../base/errors.js';
import type { Launch } from '../processes.js';

export interface Wrapping {
  /** The control group to join. */
  joinPath: string | null;
  /** Most processes of this user, where there is no control group. */
  userLimit: number | null;
  /** The program that has the kernel end the command when we die. */
  deathSignal: string | null;
}

export interface Prepared {
  file: string;
  args: string[];
}

/**
 * The process joins its group before it becomes the command, so that nothing the command starts is outside. `ulimit` has
 * another letter in each shell; a limit that can't be set does not keep the command from running.
 */
const wrapperScript = [
  '{ test -z "$1" || echo 0 >"$1"; test -z "$2" || ulimit -u "$2" || ulimit -p "$2"; } 2>/dev/null',
  'shift 2; exec "$@"',
].join('\n');

export async function prepareLaunch(launch: Launch, wrapping: Wrapping): Promise<Prepared> {
  await checkDirectory(launch.directory);
  const program = await findProgram(launch);
  if (process.platform === 'win32') return { file: program, args: [...launch.args] };
  const { joinPath, userLimit, deathSignal } = wrapping;
  const command = [program, ...launch.args];
  const bound = deathSignal === null ? command : [deathSignal, '--pdeathsig', 'KILL', '--', ...command];
  if (joinPath === null && userLimit === null) {
    const [file = program, ...args] = bound;
    return { file, args };
  }
  const parameters = [joinPath ?? '', String(userLimit ?? '')];
  return { file: '/bin/sh', args: ['-c', wrapperScript, 'toolwright', ...parameters, ...bound] };
}

async function checkDirectory(directory: string): Promise<void> {
  try {
    if ((await stat(directory)).isDirectory()) return;
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

async function findProgram({ program, directory, environment }: Launch): Promise<string> {
  const candidates = candidatesFor(program, directory, environment);
  let refused = false;
  for (const path of candidates) {
    const found = await stat(path).catch(() => null);
    if (!found?.isFile()) continue;
    if (
      await access(path, constants.X_OK).then(
        () => true,
        () => false,
      )
    )
      return path;
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
