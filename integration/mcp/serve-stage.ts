import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { TestContext } from 'vitest';
import {
  type ClientOptions,
  connectOfficially,
  type OfficialClient,
} from '../../packages/core/src/serve/fixtures/official-client.js';
import { createMachine, type Machine } from '../program.js';
import { countLeft, processesOf } from './stage.js';

const program = fileURLToPath(new URL('../../packages/cli/bin/toolwright.cjs', import.meta.url));

export interface ServeStage {
  machine: Machine;
  /** `toolwright mcp serve`, started by the client of the protocol's own library. */
  connect(
    options?: ClientOptions & { args?: string[]; env?: Record<string, string> },
  ): Promise<OfficialClient>;
  listen(args?: string[], env?: Record<string, string>): Promise<Listening>;
  /** Closes everything and lists the processes that still run. */
  close(): Promise<string[]>;
}

/** `toolwright mcp serve --http`, running. */
export interface Listening {
  url: string;
  token: string;
  stderr(): string;
  stdout(): string;
  connect(options?: ClientOptions): Promise<OfficialClient>;
  kill(signal: NodeJS.Signals): void;
  closeInput(): void;
  ended: Promise<number | null>;
}

/** Opens stages that end with their test, when no process of theirs may live. */
export function serveStages(over: string) {
  const noteLeft = countLeft((stages) => `mcp serve over ${over}: processes left after ${stages} servers`);
  return (
    { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
    files: Record<string, string> = { 'a.txt': 'alpha\n' },
  ): ServeStage => {
    const opened = openServeStage(files);
    onTestFinished(async () => noteLeft(await opened.close()));
    return opened;
  };
}

function openServeStage(files: Record<string, string>): ServeStage {
  const machine = createMachine(files);
  const { home, workspace } = machine;
  const { PATH = '', LANG = 'C.UTF-8' } = process.env;
  const env = { PATH, LANG, HOME: home, NO_COLOR: '1' };
  const open: { close(): Promise<unknown> }[] = [];
  const keep = <One extends { close(): Promise<unknown> }>(one: One): One => {
    open.push(one);
    return one;
  };
  return {
    machine,
    async connect({ args = [], env: more = {}, ...options } = {}) {
      const way = {
        command: process.execPath,
        args: [program, 'mcp', 'serve', ...args],
        cwd: workspace,
        env: { ...env, ...more },
      };
      return keep(await connectOfficially(way, options));
    },
    async listen(args = [], more = {}) {
      const child = spawn(process.execPath, [program, 'mcp', 'serve', '--http', ...args], {
        cwd: workspace,
        env: { ...env, ...more },
      });
      const output = { stdout: '', stderr: '' };
      child.stdout.setEncoding('utf8').on('data', (text: string) => void (output.stdout += text));
      const ended = new Promise<number | null>((resolve) => void child.on('close', resolve));
      const hasToken = args.includes('--token-file') || 'TOOLWRIGHT_MCP_TOKEN' in more;
      const listening = new Promise<void>((resolve, reject) => {
        child.stderr.setEncoding('utf8').on('data', (text: string) => {
          output.stderr += text;
          if (/Listening on .*\n/.test(output.stderr) && (hasToken || /Bearer .*\n/.test(output.stderr)))
            resolve();
        });
        void ended.then((code) => reject(new Error(`it ended with ${code}: ${output.stderr}`)));
      });
      keep({
        async close() {
          child.stdin.end();
          await ended;
        },
      });
      await listening;
      const url = /Listening on (\S+)/.exec(output.stderr)?.[1] ?? '';
      const token = /Bearer (\S+)/.exec(output.stderr)?.[1] ?? '';
      return {
        url,
        token,
        stderr: () => output.stderr,
        stdout: () => output.stdout,
        connect: async (options) => keep(await connectOfficially({ url, token }, options)),
        kill: (signal) => void child.kill(signal),
        closeInput: () => void child.stdin.end(),
        ended,
      };
    },
    async close() {
      for (const one of open.splice(0).reverse()) await one.close();
      const left = await settled(machine);
      machine.cleanup();
      return left;
    },
  };
}

/** The client of the library closes the pipe and does not wait for the end of the program. */
async function settled(machine: Machine): Promise<string[]> {
  for (let tries = 0; tries < 60 && processesOf(machine).length > 0; tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 100));
  return processesOf(machine);
}
