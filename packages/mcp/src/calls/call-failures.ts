import { McpFailure } from '../contract/connection.js';
import { mcpFailure, quoteServer } from '../contract/failure.js';
import type { DescribedError } from '../session/describe-error.js';
import type { Session } from '../session/session.js';

/** A call that did not end in an answer of the tool. */
export interface FailedCall {
  server: string;
  name: string;
  session: Session;
  described: DescribedError;
  cause: unknown;
}

const INVALID_PARAMS = -32_602;

/** The server, or something on the way to it, said no; the session goes on. */
export function refusedCall({ server, name, session, described, cause }: FailedCall): McpFailure {
  const isOurs = cause instanceof Error && 'code' in cause && cause.code === INVALID_PARAMS;
  return mcpFailure({
    server,
    stage: 'call',
    code: isOurs ? 'invalid_params' : described.code,
    what: `the tool "${quoteServer(name)}" was not carried out: ${described.what}`,
    advice: isOurs ? "Check the arguments against the tool's schema." : undefined,
    stderrTail: session.stderrTail(),
    cause,
  });
}

/** The session ended during the call. */
export function lostCall({ server, name, session, described, cause }: FailedCall, why: string): McpFailure {
  return mcpFailure({
    server,
    stage: 'call',
    what: `it was lost during the call of "${quoteServer(name)}" (${described.what}), and the call was not repeated: ${why}`,
    advice:
      described.reached === 'maybe'
        ? 'Whether the call took effect is not known: check before calling again.'
        : 'The call did not reach it.',
    stderrTail: session.stderrTail(),
    cause,
  });
}

/** The tool is not the one that consent was given for. Nothing was called. */
export function withoutConsent(server: string, name: string, problem: 'gone' | 'changed'): McpFailure {
  const tool = quoteServer(name);
  return problem === 'gone'
    ? new McpFailure({
        server,
        stage: 'call',
        code: 'not_found',
        message: `The MCP server "${server}" no longer has a tool ${tool}.`,
      })
    : new McpFailure({
        server,
        stage: 'call',
        code: 'denied',
        message: `The tool ${tool} of the MCP server "${server}" is not what it was when the user accepted it. It stays off until the user runs: toolwright mcp accept ${server}`,
      });
}
