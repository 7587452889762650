import type { ToolErrorCode } from '@toolwright/machine/base/errors.js';
import { terminalSafe } from '@toolwright/machine/base/terminal-safe.js';
import { McpFailure, type McpStage } from './connection.js';

export interface Trouble {
  server: string;
  stage: McpStage;
  code?: ToolErrorCode;
  /** The event, as a clause without a period: `it ended with status 3`. */
  what: string;
  /** Next steps for the user, in whole sentences. */
  advice?: string;
  stderrTail?: string;
  cause?: unknown;
}

const SHOWN_LINES = 12;
const SHOWN_CHARACTERS = 1_500;

export function mcpFailure(trouble: Trouble): McpFailure {
  const { server, stage, code = 'failed', what, cause } = trouble;
  const advice = trouble.advice ?? `\`toolwright mcp doctor ${server}\` tries each stage and says more.`;
  const message = `MCP server "${server}" failed at ${stage}: ${what}. ${advice}${lastWords(trouble.stderrTail ?? '')}`;
  return new McpFailure({ server, stage, code, message, cause });
}

function lastWords(stderr: string): string {
  const lines = terminalSafe(stderr.slice(-SHOWN_CHARACTERS)).trimEnd().split('\n').slice(-SHOWN_LINES);
  if (lines.join('').trim() === '') return '';
  return `\nIts last words on stderr:\n${lines.map((line) => `  ${line}`).join('\n')}`;
}

/** Text of a server inside a sentence of ours: one line, nothing hidden, not long. */
export function quoteServer(text: string, limit = 300): string {
  const line = terminalSafe(text).replace(/\s+/g, ' ').trim();
  return line.length <= limit ? line : `${line.slice(0, limit)}…`;
}

export function seconds(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${Math.round(ms / 100) / 10} s`;
}

/** A sentence of someone else inside one of ours; names and abbreviations keep their capitals. */
export function lowerFirst(text: string): string {
  return /^[A-Z][a-z' ]/.test(text) ? `${text.charAt(0).toLowerCase()}${text.slice(1)}` : text;
}
