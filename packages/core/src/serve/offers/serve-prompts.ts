import type { GetPromptResult, Server } from '@modelcontextprotocol/server';
import { canonical } from '@toolwright/machine/base/json.js';
import { foreignText } from '@toolwright/machine/base/sentences/foreign-text.js';
import { askNow, callerFor, capabilitiesOf } from '../calls/client.js';
import { type Rounds, responseOf } from '../calls/rounds.js';
import type { Era } from '../calls/serve-calls.js';
import type { ServerSdk } from '../server-sdk.js';
import type { ServedPrompts } from './offers.js';

export interface ServePromptsNeeds {
  sdk: ServerSdk;
  rounds: Rounds;
  questionLimitMs: number;
}

/** Answers the requests of clients about prompts. A prompt may ask its client something, as a call may. */
export function servePrompts(
  server: Server,
  era: Era,
  prompts: ServedPrompts,
  { sdk, rounds, questionLimitMs }: ServePromptsNeeds,
): void {
  server.setRequestHandler('prompts/list', async () => ({ prompts: [...prompts.list()] }));
  server.setRequestHandler('prompts/get', async ({ params: { name, arguments: args = {} } }, ctx) => {
    const capabilities = capabilitiesOf(server, ctx, sdk.CLIENT_CAPABILITIES_META_KEY);
    const start: Parameters<Rounds['next']>[0]['start'] = async ({ ask, signal }) => {
      const got = await prompts.get(name, { arguments: args, caller: callerFor(capabilities, ask), signal });
      if (got) return got;
      throw new sdk.ProtocolError(
        sdk.ProtocolErrorCode.InvalidParams,
        `There is no prompt ${foreignText(name)}.`,
      );
    };
    if (era === 'legacy') {
      const ask = askNow(ctx, questionLimitMs);
      return (await start({ ask, signal: ctx.mcpReq.signal, hearer: () => ({}) })) as GetPromptResult;
    }
    const request = JSON.stringify(canonical({ prompt: name, arguments: args }));
    return responseOf((await rounds.next({ request, start }, ctx)).state) as GetPromptResult;
  });
}
