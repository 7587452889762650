import { fileURLToPath } from 'node:url';
import pty from '@lydell/node-pty';
import { createMachine, type Machine } from '../program.js';
import { createVirtualTerminal, type VirtualTerminal } from './virtual-terminal.js';

const program = fileURLToPath(new URL('../../packages/cli/bin/toolwright.cjs', import.meta.url));

/** The built program on a real pseudo-terminal, in a machine of its own. */
export interface Conversation {
  machine: Machine;
  terminal: VirtualTerminal;
  pid: number;
  /** Every byte the program wrote. */
  raw(): string;
  /** Gives every line ever shown. */
  text(): string;
  type(keys: string): void;
  /** Types a line, sends it, and waits until the program is ready for the next one. */
  say(line: string): Promise<void>;
  /** Waits until the text fits. Returns it. */
  see(pattern: RegExp | string): Promise<string>;
  until(isTrue: () => boolean, what: string): Promise<void>;
  /** A question can be answered: its answers, or the line for one, stand at the end. */
  isAsked(): boolean;
  /** The prompt stands empty at the end. */
  ready(): Promise<void>;
  resize(columns: number, rows: number, how?: { reflow: boolean }): void;
  /** Clicks on the last line that fits. */
  click(pattern: RegExp): void;
  /** Closes the terminal, as a window that is closed. */
  hangUp(): void;
  ended(): Promise<number>;
  close(): void;
}

export interface ConversationOptions {
  files?: Record<string, string>;
  machine?: Machine;
  args?: string[];
  env?: Record<string, string>;
  columns?: number;
  rows?: number;
  /** A shell command to run instead of the program; `$PROGRAM` runs it. */
  shell?: string;
}

const LIMIT_MS = 30_000;

export const keys = {
  enter: '\r',
  escape: '\x1b',
  up: '\x1b[A',
  down: '\x1b[B',
  altEnter: '\x1b\r',
  ctrlC: '\x03',
  ctrlD: '\x04',
  paste: (text: string): string => `\x1b[200~${text}\x1b[201~`,
};

export async function startConversation(options: ConversationOptions = {}): Promise<Conversation> {
  const machine = options.machine ?? createMachine(options.files);
  const { columns = 80, rows = 24 } = options;
  const terminal = createVirtualTerminal(columns, rows, {
    answer: (sequence) => child.write(sequence),
    isTmux: options.env?.['TMUX'] !== undefined,
  });
  const { PATH = '' } = process.env;
  const [file, args] = options.shell
    ? ['sh', ['-c', options.shell]]
    : [process.execPath, [program, ...(options.args ?? [])]];
  const child = pty.spawn(file, args, {
    cols: columns,
    rows,
    cwd: machine.workspace,
    env: {
      PATH,
      HOME: machine.home,
      LANG: 'C.UTF-8',
      TERM: 'xterm-256color',
      PROGRAM: `${process.execPath} ${program} ${(options.args ?? []).join(' ')}`,
      ...options.env,
    },
  });
  let raw = '';
  let code: number | null = null;
  child.onData((data) => {
    raw += data;
    terminal.write(data);
  });
  child.onExit(({ exitCode }) => {
    code = exitCode;
  });

  const text = (): string => terminal.lines().join('\n');
  async function until(isTrue: () => boolean, what: string): Promise<void> {
    for (const end = Date.now() + LIMIT_MS; !isTrue(); ) {
      if (Date.now() > end) throw new Error(`waited in vain for ${what}; the screen:\n${text()}`);
      await new Promise((resolve) => setTimeout(resolve, 15));
    }
  }
  const ready = (): Promise<void> => until(() => terminal.lines().at(-1) === '>', 'the prompt');
  const conversation: Conversation = {
    machine,
    terminal,
    pid: child.pid,
    raw: () => raw,
    text,
    type: (typed) => child.write(typed),
    async say(line) {
      const sent = `> ${line.split('\n', 1)[0]?.slice(0, 30)}`;
      const count = (): number => terminal.lines().filter((shown) => shown.startsWith(sent)).length;
      const before = count();
      child.write(`${line}\r`);
      await until(() => count() > before && terminal.lines().at(-1) === '>', `the end of "${line}"`);
    },
    async see(pattern) {
      const fits = (): boolean =>
        typeof pattern === 'string' ? text().includes(pattern) : pattern.test(text());
      await until(fits, String(pattern));
      return text();
    },
    until,
    isAsked: () => {
      // After Esc at a question a hint stands below the next one.
      const lines = terminal.lines().filter((line) => line !== 'Press Esc again to stop the turn.');
      return /^ {2}(?:[a-z=] +\S|\d+ \S.* {3}[a-z] )|^\?$/.test(lines.at(-1) ?? '');
    },
    ready,
    resize(width, height, how) {
      terminal.resize(width, height, how);
      child.resize(width, height);
    },
    click(pattern) {
      const row = terminal.rowOf(pattern);
      child.write(`\x1b[<0;3;${row}M\x1b[<0;3;${row}m`);
    },
    hangUp: () => (child as unknown as { destroy(): void }).destroy(),
    async ended() {
      await until(() => code !== null, 'the end of the program');
      return code as number;
    },
    close() {
      if (code === null) child.kill('SIGKILL');
      if (!options.machine) machine.cleanup();
    },
  };
  if (!options.shell) await until(() => raw !== '', 'the first byte');
  return conversation;
}
