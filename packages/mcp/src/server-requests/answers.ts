import type { Client, ClientCapabilities } from '@modelcontextprotocol/client';
import type { JsonObject } from '@toolwright/machine/base/json.js';
import { quoteServer } from '../contract/failure.js';
import { DEFAULT_SAMPLING_BUDGET, type McpNeeds } from '../contract/needs.js';
import { plainText } from '../contract/plain-text.js';
import { createElicitor, type Elicitor } from './elicitation.js';
import { createSampler, type Sampler } from './sampling.js';

/** Answers to requests from a server. Made once for a connection, so that the budget survives a reconnect. */
export interface Answers {
  capabilities: ClientCapabilities;
  /** The same for the newer revision, which has tasks as an extension. */
  newerCapabilities: JsonObject;
  elicit: Elicitor | null;
  /** True while the user is being asked; the clocks of calls stand still then. */
  isAsking(): boolean;
  /** The answer to one request of a server; throws for what can't be answered here. */
  answer(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject>;
  hearLog(params: JsonObject): void;
  register(client: Client, onToolsChanged: () => void): void;
}

const LONGEST_LOG_LINE = 2_000;
/** The user answers one after the other; a server that asks faster is not helped by a longer queue. */
const MOST_AT_ONCE = 3;

export function createAnswers(server: string, needs: McpNeeds): Answers {
  const { whileAsking, isAsking } = createTurnstile();
  const elicit = elicitorFor(server, needs, whileAsking);
  const sample = samplerFor(server, needs, whileAsking);
  const roots = () => ({ roots: needs.roots().map((root) => ({ ...root })) });
  const hearLog = ({ level, data, logger }: JsonObject): void =>
    needs.onLog?.({ server, level: String(level), text: logText(data, logger) });
  const capabilities: ClientCapabilities = {
    roots: {},
    elicitation: elicit ? { form: {}, url: {} } : undefined,
    sampling: sample ? { tools: needs.samplesWithTools ? {} : undefined } : undefined,
  };
  return {
    elicit,
    isAsking,
    capabilities,
    newerCapabilities: { ...capabilities, extensions: { 'io.modelcontextprotocol/tasks': {} } },
    async answer(method, params, signal) {
      if (method === 'roots/list') return roots();
      if (method === 'elicitation/create' && elicit) return elicit(params, signal);
      if (method === 'sampling/createMessage' && sample) return sample(params, signal);
      throw new Error(`it asks for ${quoteServer(method, 60)}, which can't be answered here`);
    },
    hearLog,
    register(client, onToolsChanged) {
      client.setRequestHandler('roots/list', roots);
      if (elicit)
        client.setRequestHandler('elicitation/create', ({ params }, { mcpReq }) =>
          elicit(params, mcpReq.signal),
        );
      if (sample)
        client.setRequestHandler('sampling/createMessage', ({ params }, { mcpReq }) =>
          sample(params, mcpReq.signal),
        );
      client.setNotificationHandler('notifications/tools/list_changed', onToolsChanged);
      client.setNotificationHandler('notifications/message', ({ params }) => hearLog({ ...params }));
    },
  };
}

type WhileAsking = <Result>(work: () => Promise<Result>) => Promise<Result>;

function elicitorFor(server: string, { onElicit }: McpNeeds, whileAsking: WhileAsking): Elicitor | null {
  if (!onElicit) return null;
  const askUser = createElicitor({ server, onElicit: (...request) => onElicit(...request) });
  return (params, signal) => whileAsking(() => askUser(params, signal));
}

function samplerFor(server: string, needs: McpNeeds, whileAsking: WhileAsking): Sampler | null {
  const { onSample, samplesWithTools = false, samplingBudget = DEFAULT_SAMPLING_BUDGET } = needs;
  if (!onSample) return null;
  return createSampler({
    server,
    budget: samplingBudget,
    withTools: samplesWithTools,
    onSample: (...request) => whileAsking(() => onSample(...request)),
  });
}

/** Lets a few questions pass at a time. */
function createTurnstile(): { isAsking(): boolean; whileAsking: WhileAsking } {
  let asking = 0;
  return {
    isAsking: () => asking > 0,
    async whileAsking<Result>(work: () => Promise<Result>): Promise<Result> {
      if (asking >= MOST_AT_ONCE) throw new Error('Too many questions at once: wait for the answers first.');
      asking++;
      try {
        return await work();
      } finally {
        asking--;
      }
    },
  };
}

function logText(data: unknown, logger: unknown): string {
  const text = typeof data === 'string' ? data : (JSON.stringify(data) ?? '');
  return plainText(`${typeof logger === 'string' && logger !== '' ? `${logger}: ` : ''}${text}`).slice(
    0,
    LONGEST_LOG_LINE,
  );
}
