import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const program = fileURLToPath(new URL('../packages/cli/bin/toolwright.cjs', import.meta.url));

export interface Ended {
  stdout: string;
  stderr: string;
  /** Null when a signal ended it. */
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface RunOptions {
  input?: string;
  env?: Record<string, string>;
  /** Called with the process, to send it signals. */
  onStart?(kill: (signal: NodeJS.Signals) => void): void;
  /** Leaves standard input open without writing to it. */
  holdInput?: boolean;
  /** Called with a function that writes to standard input; goes with `holdInput`. */
  onInput?(write: (text: string) => void): void;
  /** Asked after every piece of standard output whether standard input ends now. */
  endInputAfter?(): boolean;
  /** Called with every piece of standard output as it comes. */
  onOutput?(text: string): void;
}

/** A machine of its own: a home with nothing but the code cache of the program, a workspace, and the built program. */
export interface Machine {
  home: string;
  state: string;
  workspace: string;
  write(path: string, content: string): void;
  run(args: string[], options?: RunOptions): Promise<Ended>;
  cleanup(): void;
}

export function createMachine(files: Record<string, string> = {}, { isCompiled = true } = {}): Machine {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'toolwright-program-')));
  const [home, workspace] = [join(base, 'home'), join(base, 'work')];
  mkdirSync(home);
  mkdirSync(workspace);
  const write = (path: string, content: string): void => {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), content);
  };
  for (const [path, content] of Object.entries(files)) write(path, content);
  const state = join(home, '.toolwright');
  if (isCompiled) copyCodeCache(state);
  return {
    home,
    state,
    workspace,
    write,
    run: (args, options) => run(args, { home, workspace, ...options }),
    cleanup: () => rmSync(base, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }),
  };
}

/** The program compiled once for all tests; without it the first run compiles it anew. */
function copyCodeCache(state: string): void {
  const compiled = process.env['TOOLWRIGHT_TEST_CODE_CACHE'];
  if (compiled === undefined) return;
  mkdirSync(join(state, 'cache'), { recursive: true, mode: 0o700 });
  cpSync(compiled, join(state, 'cache/code'), { recursive: true });
}

function run(args: string[], options: RunOptions & { home: string; workspace: string }): Promise<Ended> {
  const { PATH = '', LANG = 'C.UTF-8' } = process.env;
  const child = spawn(process.execPath, [program, ...args], {
    cwd: options.workspace,
    env: { PATH, LANG, HOME: options.home, NO_COLOR: '1', ...options.env },
  });
  options.onStart?.((signal) => child.kill(signal));
  if (!options.holdInput) child.stdin.end(options.input ?? '');
  child.stdin.on('error', () => undefined);
  options.onInput?.((text) => void child.stdin.write(text));
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
    options.onOutput?.(text);
    if (options.endInputAfter?.()) child.stdin.end();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ ...output, code, signal }));
  });
}
