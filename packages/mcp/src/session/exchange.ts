import { McpFailure, type McpStage } from '../contract/connection.js';
import { mcpFailure, seconds, type Trouble } from '../contract/failure.js';
import type { ServerContext } from '../contract/needs.js';
import { withinLimit } from '../contract/within-limit.js';
import { describeError } from './describe-error.js';
import type { Session } from './session.js';

export interface Exchange {
  session: Session;
  stage: McpStage;
  method: string;
  limitMs: number;
  signal: AbortSignal;
}

/** Runs requests of one method within a time limit; failures name the server, the stage and the method. */
export async function exchange<Result>(
  { config, needs }: ServerContext,
  { session, stage, method, limitMs, signal }: Exchange,
  work: (within: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const failure = (trouble: Pick<Trouble, 'code' | 'what' | 'cause'>): McpFailure =>
    mcpFailure({ server: config.alias, stage, stderrTail: session.stderrTail(), ...trouble });
  const onLimit = (): McpFailure =>
    failure({ code: 'timeout', what: `${method} was not answered within ${seconds(limitMs)}` });
  try {
    return await withinLimit(work, { clock: needs.clock, limitMs, signal, onLimit });
  } catch (error) {
    if (signal.aborted || error instanceof McpFailure) throw error;
    const { kind, what, code } = describeError(error, session.ending());
    if (kind === 'lost') session.giveUp(what);
    throw failure({ code, what: `${method}: ${what}`, cause: error });
  }
}
