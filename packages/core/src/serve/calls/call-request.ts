import type { ServerContext } from '@modelcontextprotocol/server';
import { messageOf, ToolError } from '@toolwright/machine/base/errors.js';
import { foreignText } from '@toolwright/machine/base/sentences/foreign-text.js';
import type { RawCall } from '../../model/model.js';
import type { ToolRegistry } from '../../tools/tool-registry.js';
import { isServed } from '../offers/tool-list.js';
import type { ServerSdk } from '../server-sdk.js';
import type { Hearer } from './live-reports.js';

export interface CallRequest {
  name: string;
  arguments?: Record<string, unknown>;
}

/** The call that a client asks for; refuses tools that are not offered. */
export function callOf(
  { name, arguments: args }: CallRequest,
  { registry, sdk }: { registry: ToolRegistry; sdk: ServerSdk },
): RawCall {
  try {
    if (!isServed(registry.require(name)))
      throw new ToolError('unknown_tool', `${foreignText(name)} is not offered here.`);
  } catch (error) {
    throw new sdk.ProtocolError(sdk.ProtocolErrorCode.InvalidParams, messageOf(error));
  }
  return { id: '', name, arguments: args ?? {} };
}

/** The sender of a request, who hears of the progress of its call. */
export function hearerOf({ mcpReq }: ServerContext, tool: string): Hearer {
  const progressToken = mcpReq._meta?.progressToken;
  const log = (text: string): void => void mcpReq.log('info', text, tool).catch(() => undefined);
  if (progressToken === undefined) return { log };
  return {
    log,
    progress(progress) {
      const params = { progressToken, ...progress };
      void mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
    },
  };
}
