import { rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isNodeError, messageOf } from '../../base/errors.js';
import type { Ids } from '../host.js';
import { spawn } from '../processes/launch/child-process.js';
import { readSmallFile } from '../state/read-file.js';
import type { StateFolder } from '../state/state-folder.js';

/** A text that the user edits in a program of theirs. */
export interface EditRequest {
  state: StateFolder;
  ids: Ids;
  /** A command line, as people write it into `$EDITOR`. */
  editor: string;
  /** A file name, so that the editor knows the language. */
  name: string;
  text: string;
  signal: AbortSignal;
}

/** The outcome of an edit. `failed`: the editor could not be started, or ended with an error. */
export type Edited = { kind: 'written' | 'unchanged'; text: string } | { kind: 'failed'; message: string };

const MAX_BYTES = 32 * 1024 * 1024;

/** Lets the user edit a text in their own editor, which has the terminal meanwhile. */
export async function editText({ state, ids, editor, name, text, signal }: EditRequest): Promise<Edited> {
  const folder = await state.make('stage', 'drafts', ids.next());
  try {
    const path = join(folder, safeName(name));
    await writeFile(path, text, { mode: 0o600, flag: 'wx' });
    const problem = await runEditor(editor, path, signal);
    if (problem !== null) return { kind: 'failed', message: problem };
    const bytes = await readSmallFile(path, MAX_BYTES);
    if (bytes === null) return { kind: 'failed', message: `${editor} removed the file.` };
    const written = decode(bytes);
    if (written === null) return { kind: 'failed', message: 'What was saved is not UTF-8 text.' };
    return { kind: written === text ? 'unchanged' : 'written', text: written };
  } catch (error) {
    return { kind: 'failed', message: messageOf(error) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const GRACE_MS = 2_000;

/** Null when all went well. The command line is the user's own, so the shell takes it apart as they expect. */
async function runEditor(editor: string, path: string, signal: AbortSignal): Promise<string | null> {
  const [program, args] =
    process.platform === 'win32'
      ? [`${editor} "${path}"`, []]
      : ['/bin/sh', ['-c', `${isOneProgram(editor) ? 'exec ' : ''}${editor} "$@"`, 'editor', path]];
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: 'inherit', shell: process.platform === 'win32', signal });
    child.on('error', (error) => {
      // The editor was told to end; the terminal is ours again only when it has.
      if (child.pid !== undefined) setTimeout(() => child.kill('SIGKILL'), GRACE_MS).unref();
      else resolve(isNodeError(error, 'ENOENT') ? `${editor} was not found.` : messageOf(error));
    });
    child.on('close', (code, killedBy) => {
      if (code === 0) resolve(null);
      else
        resolve(`${editor} ended with ${killedBy ?? `status ${code}`}; what was written there is not used.`);
    });
  });
}

function safeName(name: string): string {
  return (
    basename(name)
      .replace(/[^A-Za-z0-9._-]+/g, '-')
      .replace(/^-+/, '') || 'text'
  );
}

function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** The shell can become it then, so that what ends the shell ends the editor. */
function isOneProgram(editor: string): boolean {
  return !/^\s*\w+=|[;&|<>()`\n]/.test(editor);
}
