import type { ServerContext } from '@modelcontextprotocol/server';
import { type Deadline, withinDeadline } from '@toolwright/machine/host/deadline.js';
import type { ServerSdk } from '../server-sdk.js';
import { type CallState, CallUnderWay, type Start, type UnderWayOptions } from './call-under-way.js';
import { answersIn } from './input-answers.js';
import type { Hearer } from './live-reports.js';

/** Work for clients that get a question as the response to their request, and bring the answer with a new request; the work waits meanwhile. */
export interface Rounds {
  /** Begins the work that the request asks for, or goes on with it where the request brings answers. */
  next(round: Round, ctx: ServerContext): Promise<{ call: CallUnderWay; state: CallState }>;
}

export interface Round {
  /** The whole request as a text: answers are taken only with the request that was asked about. */
  request: string;
  start: Start;
  hearer?: Hearer;
  /** The state may be `working` where the deadline comes first. */
  deadline?: Deadline | null;
}

/** Questions that wait at a time. Where one more comes, the oldest is given up, so that a mute client locks nobody out. */
const MOST_QUESTIONS = 32;

export function createRounds(sdk: ServerSdk, options: UnderWayOptions): Rounds {
  /** Calls that wait for answers, with the request of each. */
  const open = new Map<CallUnderWay, string>();

  function begin(start: Start): CallUnderWay {
    const call = new CallUnderWay(start, options);
    call.onChange(() => {
      if (call.state.kind !== 'asking') open.delete(call);
    });
    return call;
  }

  function requireOpen(ticket: unknown, request: string): CallUnderWay {
    for (const [call, begunBy] of open) {
      const state = call.state;
      if (state.kind === 'asking' && state.ticket === ticket && begunBy === request) return call;
    }
    throw new sdk.ProtocolError(
      sdk.ProtocolErrorCode.InvalidParams,
      'No question of this call waits for an answer: it was answered, or it took too long. Send the call again.',
    );
  }

  return {
    async next({ request, start, hearer = {}, deadline = null }, { mcpReq }) {
      const ticket = mcpReq.requestState<unknown>();
      const call = ticket === undefined ? begin(start) : requireOpen(ticket, request);
      if (ticket !== undefined) call.answer(answersIn(mcpReq.inputResponses, call.state));
      call.setHearer(hearer);
      const state = await nextState(call, mcpReq.signal, deadline);
      if (state.kind === 'asking') {
        if (open.size >= MOST_QUESTIONS && !open.has(call)) giveUp(open.keys().next().value);
        open.set(call, request);
      }
      return { call, state };
    },
  };
}

function giveUp(call: CallUnderWay | undefined): void {
  call?.cancel({ kind: 'limit', message: 'too many questions wait for an answer' });
}

/** The next state but `working`, or the state at the deadline. A request that is withdrawn meanwhile cancels the call. */
async function nextState(
  call: CallUnderWay,
  signal: AbortSignal,
  deadline: Deadline | null,
): Promise<CallState> {
  try {
    const settled = call.whenSettled(signal);
    return (deadline ? await withinDeadline(settled, deadline) : await settled) ?? call.state;
  } catch (error) {
    if (signal.aborted) call.cancel(signal.reason);
    throw error;
  }
}

/** The response to a request whose work has ended, or waits for its client. */
export function responseOf(state: CallState): object {
  switch (state.kind) {
    case 'ended':
      return state.result;
    case 'asking':
      return { resultType: 'input_required', inputRequests: state.requests, requestState: state.ticket };
    case 'failed':
      throw state.error;
    case 'working':
      throw new Error('the call is not settled');
  }
}
