import type { McpFailure } from '../contract/connection.js';
import { mcpFailure, quoteServer } from '../contract/failure.js';
import type { Described } from '../session/describe-error.js';
import type { Session } from '../session/session.js';

/** A call that did not end in an answer of the tool. */
export interface FailedCall {
  server: string;
  name: string;
  session: Session;
  described: Described;
  cause: unknown;
}

const INVALID_PARAMS = -32_602;

/** The server, or the way to it, said no; the session goes on. */
export function refusedCall({ server, name, session, described, cause }: FailedCall): McpFailure {
  const isOurs = cause instanceof Error && 'code' in cause && cause.code === INVALID_PARAMS;
  return mcpFailure({
    server,
    stage: 'call',
    code: isOurs ? 'invalid_params' : described.code,
    what: `the tool "${quoteServer(name)}" was not carried out: ${described.what}`,
    ...(isOurs ? { advice: "Check the arguments against the tool's schema." } : {}),
    stderrTail: session.stderrTail(),
    cause,
  });
}

/** The session ended under the call. */
export function lostCall({ server, name, session, described, cause }: FailedCall, why: string): McpFailure {
  const reached = described.reached === 'maybe';
  return mcpFailure({
    server,
    stage: 'call',
    what: `it was lost during the call of "${quoteServer(name)}" (${described.what}), and the call was not repeated: ${why}`,
    advice: reached
      ? 'Whether the call took effect is not known: check before calling again.'
      : 'The call did not reach it.',
    stderrTail: session.stderrTail(),
    cause,
  });
}

/** The tool is not the one that consent was given for. */
export function changedTool(server: string, name: string, isThere: boolean): McpFailure {
  return mcpFailure({
    server,
    stage: 'call',
    code: isThere ? 'denied' : 'unknown_tool',
    what: isThere
      ? `it now defines the tool "${quoteServer(name)}" otherwise than what was agreed to`
      : `it no longer offers the tool "${quoteServer(name)}"`,
    advice: `Nothing was called. \`toolwright mcp accept ${server}\` shows what changed.`,
  });
}
