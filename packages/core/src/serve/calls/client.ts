import type { Server, ServerContext } from '@modelcontextprotocol/server';
import { isToolError, messageOf, ToolError } from '@toolwright/machine/base/errors.js';
import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import type { SchedulerOptions } from '../../scheduler/call.js';
import type { Caller, CallerMethod } from '../../tools/caller/caller.js';
import type { Ask } from './call-under-way.js';
import { type ElicitationOptions, toElicitation, toOutcome } from './question.js';

/** Capabilities as the client declared them: with this request, or with its handshake. */
export function capabilitiesOf(server: Server, ctx: ServerContext, key: string): JsonObject {
  const envelope: Record<string, unknown> = { ...ctx.mcpReq.envelope };
  const declared = envelope[key] ?? server.getClientCapabilities();
  return isJsonObject(declared) ? declared : {};
}

const TASKS = 'io.modelcontextprotocol/tasks';

/** The capability that says a client knows of tasks, as it stands in `capabilities`. */
export const tasksCapability = { extensions: { [TASKS]: {} } };

export function knowsTasks({ extensions }: JsonObject): boolean {
  return isJsonObject(extensions) && isJsonObject(extensions[TASKS]);
}

const capabilityFor: Record<CallerMethod, string> = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
};

/** A request that the client did not say it takes. */
export class MissingCapability extends ToolError {
  constructor(readonly capability: string) {
    super('failed', `This client can't be asked: it offers no ${capability}.`);
  }
}

function takes(capabilities: JsonObject, method: CallerMethod, part?: string): boolean {
  const declared = capabilities[capabilityFor[method]];
  if (!isJsonObject(declared) || (part !== undefined && !isJsonObject(declared[part]))) return false;
  // A form is what is asked with; a client that says nothing about kinds means forms.
  return method !== 'elicitation/create' || 'form' in declared || !('url' in declared);
}

/** The client as tools see it. */
export function callerFor(capabilities: JsonObject, ask: Ask): Caller {
  return {
    takes: (method, part) => takes(capabilities, method, part),
    async ask(requests, signal) {
      const refused = Object.values(requests).find(({ method }) => !takes(capabilities, method));
      if (refused) throw new MissingCapability(capabilityFor[refused.method]);
      return ask(requests, signal);
    },
  };
}

/** In the older revisions a client is asked while its request waits for the answer. */
export function askNow({ mcpReq }: ServerContext, timeout: number): Ask {
  return async (requests, signal) => {
    const asked = Object.entries(requests).map(async ([name, { method, params }]) => {
      const answer = await mcpReq.send({ method, params }, { signal, timeout });
      return [name, answer] as const;
    });
    return Object.fromEntries(await Promise.all(asked));
  };
}

const QUESTION = 'approval';

/** Puts the question about a call to the user behind the client. */
export function confirmThrough(caller: Caller, options: ElicitationOptions): SchedulerOptions['confirm'] {
  return async (request, signal) => {
    if (!caller.takes('elicitation/create')) {
      const reason = `${request.reason}; this client can't be asked (it offers no elicitation)`;
      return { kind: 'cancel', reason, nobodyToAsk: true };
    }
    try {
      const params: JsonObject = { ...toElicitation(request, options) };
      const answers = await caller.ask({ [QUESTION]: { method: 'elicitation/create', params } }, signal);
      return toOutcome(answers[QUESTION] ?? {}, request);
    } catch (error) {
      signal.throwIfAborted();
      const reason = isToolError(error)
        ? error.message
        : `the question could not be asked: ${messageOf(error)}`;
      return { kind: 'cancel', reason, nobodyToAsk: true };
    }
  };
}
