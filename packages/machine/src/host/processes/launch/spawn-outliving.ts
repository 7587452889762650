import { closeSync, constants, openSync } from 'node:fs';
import { messageOf, ToolError } from '../../../base/errors.js';
import { spawn } from './child-process.js';
import { closeEnds } from './pipes.js';
import type { SpawnRequest } from './spawn-piped.js';
import type { Spawned } from './spawned.js';

/** Writes at once what comes, and beyond the limit only reads on, so that the program is never held up. */
const logProgram = `
const { readSync, writeSync } = require('node:fs');
const bytes = Buffer.alloc(65536);
let room = Number(process.argv[1]);
for (let read; (read = readSync(0, bytes)) > 0; room -= read) {
  if (room > 0) writeSync(1, bytes, 0, Math.min(read, room));
}`;

/** Its output goes to the file by a small program of its own, so that nothing of it needs us. */
export async function spawnOutliving(request: SpawnRequest): Promise<Spawned> {
  const { launch, prepared, environment, options, pipes } = request;
  const pipe = await pipes.take();
  if (!pipe || !options.outlives) {
    throw new ToolError(
      'failed',
      'A job that outlives the session needs the program mkfifo, which is missing here.',
    );
  }
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;
  const file = openSync(options.outlives.path, flags, 0o600);
  const log = spawn(process.execPath, ['-e', logProgram, String(options.outlives.maxBytes)], {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    stdio: [pipe.readEnd, file, 'ignore'],
    detached: true,
  });
  log.on('error', () => undefined);
  log.unref();
  const child = spawn(prepared.file, prepared.args, {
    cwd: launch.directory,
    env: environment,
    stdio: ['ignore', pipe.writeEnd, pipe.writeEnd],
    detached: true,
  });
  child.unref();
  closeEnds(pipe);
  closeSync(file);
  const { pid } = child;
  if (pid === undefined) {
    const error = await new Promise<unknown>((resolve) => void child.once('error', resolve));
    throw new ToolError('failed', `${launch.program} could not be started: ${messageOf(error)}`);
  }
  const exited = new Promise<{ exitCode: number | null; signal: string | null }>((resolve) => {
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }));
  });
  const nothing = (): void => undefined;
  return {
    pid,
    exited,
    closed: exited.then(nothing),
    pause: nothing,
    resume: nothing,
    detach: nothing,
    write: async () => {
      throw new ToolError('failed', 'A job that outlives the session has no input.');
    },
    closeInput: nothing,
    resize: nothing,
    terminal: null,
  };
}
