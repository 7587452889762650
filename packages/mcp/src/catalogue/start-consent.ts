import { ToolError } from '@toolwright/machine/base/errors.js';
import type { CodeChange, CodeDigest } from '@toolwright/machine/host/run-code/digest-code.js';
import type { McpServerConfig } from '../contract/server-config.js';
import { executableOf } from './executable.js';
import { codeChanges, refusedCode, serverCode } from './server-code.js';
import type { ServerRecord } from './server-record.js';

/** Code of the roots that a server runs, where it is not the code that the user agreed to. */
export interface OtherCode {
  server: string;
  changes: CodeChange[];
  /** The code as it is now. */
  code: CodeDigest;
}

export interface StartConsentOptions {
  config: McpServerConfig;
  workspace: string;
  /** `PATH` of the environment in which servers start. */
  path: string;
  /** The roots whose files the model may change. */
  roots(): readonly string[];
  record(): ServerRecord | null;
  /** The program may be another one than before: the user is about to look at the server. */
  anyExecutable?: boolean;
  /** Asks the user whether the server may run other code than before; without it nobody can be asked. */
  onOtherCode?(other: OtherCode, signal: AbortSignal): Promise<boolean>;
  acceptCode(other: OtherCode): Promise<void>;
}

/** Consent to what a server starts: its program, and the code of the roots that it runs. */
export interface StartConsent {
  /** Throws unless the program and the code are those that were agreed to, or the user agrees now. */
  check(signal: AbortSignal): Promise<void>;
  /** The code that the running server was started from. */
  startedFrom(): CodeDigest | null;
  /** Null where the code is what was accepted. */
  otherCode(signal: AbortSignal): Promise<OtherCode | null>;
  /** The program that the command starts now; null for an address. */
  executable(): Promise<string | null>;
}

export function createStartConsent(options: StartConsentOptions): StartConsent {
  const { config, path, workspace, onOtherCode } = options;
  let started: CodeDigest | null = null;
  /** Differences that the user refused are not asked about again. */
  let refused: string | null = null;
  const executable = (): Promise<string | null> =>
    executableOf(config.endpoint, { path, directory: workspace });

  const codeNow = (signal: AbortSignal): Promise<CodeDigest | null> =>
    serverCode(config.endpoint, { directory: workspace, roots: options.roots(), path }, signal);

  async function differing(code: CodeDigest | null): Promise<OtherCode | null> {
    const changes = await codeChanges(options.record()?.code ?? null, code);
    return code === null || changes.length === 0 ? null : { server: config.alias, changes, code };
  }

  return {
    startedFrom: () => started,
    otherCode: async (signal) => differing(await codeNow(signal)),
    executable,
    async check(signal) {
      if (!options.anyExecutable) refuseOtherProgram(options.record(), await executable());
      started = await codeNow(signal);
      const other = await differing(started);
      if (other === null) return;
      const key = JSON.stringify(other.code);
      if (refused === key || !(await onOtherCode?.(other, signal))) {
        if (onOtherCode) refused = key;
        throw refusedCode(other);
      }
      await options.acceptCode(other);
      // The user did not agree to files that changed while they read.
      const after = await differing(await codeNow(signal));
      if (after !== null) throw refusedCode(after);
    },
  };
}

function refuseOtherProgram(record: ServerRecord | null, found: string | null): void {
  if (!record || record.executable === null || record.listedAt === 0 || found === record.executable) return;
  throw new ToolError(
    'denied',
    `The MCP server "${record.server}" was not started: its command is now ${found ?? 'not found'}, and was ${record.executable} when it was accepted. If that is right: toolwright mcp accept ${record.server}`,
  );
}
