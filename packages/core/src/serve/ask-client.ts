import type { Server, ServerContext } from '@modelcontextprotocol/server';
import { messageOf } from '@toolwright/machine/base/errors.js';
import { isJsonObject } from '@toolwright/machine/base/json.js';
import type { ConfirmRequest, Outcome } from '../scheduler/call.js';
import type { Confirm } from './open-calls.js';
import { type ElicitationOptions, toElicitation, toOutcome } from './question.js';

/** A form is what we ask with; a client that says nothing about kinds means forms. */
export function canBeAsked(server: Server, ctx: ServerContext, capabilitiesKey: string): boolean {
  const envelope: Record<string, unknown> = { ...ctx.mcpReq.envelope };
  const declared = envelope[capabilitiesKey] ?? server.getClientCapabilities();
  const elicitation = isJsonObject(declared) ? declared['elicitation'] : undefined;
  return isJsonObject(elicitation) && ('form' in elicitation || !('url' in elicitation));
}

export async function cantBeAsked({ reason }: ConfirmRequest): Promise<Outcome> {
  const why = `${reason}; this client can't be asked (it offers no elicitation)`;
  return { kind: 'cancel', reason: why, nobodyToAsk: true };
}

/** The client is asked while its call waits for the answer. */
export function askNow(
  ctx: ServerContext,
  { limitMs, ...options }: ElicitationOptions & { limitMs: number },
): Confirm {
  return async (request, signal) => {
    try {
      const answer = await ctx.mcpReq.elicitInput(toElicitation(request, options), {
        signal,
        timeout: limitMs,
      });
      return toOutcome(answer, request);
    } catch (error) {
      signal.throwIfAborted();
      const reason = `the question could not be asked: ${messageOf(error)}`;
      return { kind: 'cancel', reason, nobodyToAsk: true };
    }
  };
}
