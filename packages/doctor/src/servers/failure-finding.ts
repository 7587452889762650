import { messageOf } from '@toolwright/machine/base/errors.js';
import { McpFailure } from '@toolwright/mcp/contract/connection.js';
import type { McpServerConfig } from '@toolwright/mcp/contract/server-config.js';
import type { DoctorFinding, DoctorStage } from './examination.js';

const LIST_ADVICE = 'Answer tools/list with {"tools": […]}; an empty list is fine.';

const overStdio: Partial<Record<DoctorStage, string>> = {
  start: 'Run the command by hand: it must stay, and wait for messages on its standard input.',
  handshake:
    'Answer initialize with one line of JSON on standard output, and print everything else to standard error.',
  list: LIST_ADVICE,
};

const overHttp: Partial<Record<DoctorStage, string>> = {
  start: 'Check the address, and that the server listens there.',
  handshake:
    'Answer a POST of initialize at this very address with status 200 and one message, as application/json or text/event-stream. A server of the older kind, with a stream of its own, is added with --sse.',
  list: LIST_ADVICE,
};

/** The finding for an error that ended the examination, with advice for the stage that it ended in. */
export function failureFinding(error: unknown, { endpoint }: McpServerConfig): DoctorFinding {
  const at = error instanceof McpFailure ? error.stage : 'list';
  const stage: DoctorStage =
    at === 'start' ? 'start' : at === 'initialize' || at === 'sign in' ? 'handshake' : 'list';
  const advice = at === 'sign in' ? undefined : (endpoint.kind === 'stdio' ? overStdio : overHttp)[stage];
  return { stage, level: 'problem', what: plainMessage(error), advice };
}

/** The message of an error, without the words that send the reader to the doctor. */
export function plainMessage(error: unknown): string {
  return messageOf(error)
    .replace(/ `toolwright mcp doctor [^`]*` tries each stage and says more\./, '')
    .replace(/; `toolwright mcp doctor [^`]*` says more\./, '.')
    .replace(/^MCP server "[^"]*" failed at [a-z ]+: /, '');
}
