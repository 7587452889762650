import type { Server } from '@modelcontextprotocol/server';
import { foreignText } from '@toolwright/machine/base/sentences/foreign-text.js';
import type { Era } from '../calls/serve-calls.js';
import type { ServerSdk } from '../server-sdk.js';
import type { ServedChange } from './offers.js';

/** Tells one connection what has changed. */
export type TellChange = (change: ServedChange) => void;

/** Resources that one client may follow. */
export const MOST_FOLLOWED = 256;

export interface SubscriptionNeeds {
  sdk: ServerSdk;
  hasResource(uri: string, signal: AbortSignal): Promise<boolean>;
}

/**
 * Tells a client of changes. In the older revisions a client subscribes to each resource here; in the newer one the library keeps the
 * list of what it listens for.
 */
export function serveSubscriptions(server: Server, era: Era, needs: SubscriptionNeeds): TellChange {
  const followed = new Set<string>();
  if (era === 'legacy') followOnRequest(server, followed, needs);
  return (change) => {
    if (change.kind === 'resource' && era === 'legacy' && !followed.has(change.uri)) return;
    void send(server, change).catch(() => undefined);
  };
}

function followOnRequest(
  server: Server,
  followed: Set<string>,
  { sdk, hasResource }: SubscriptionNeeds,
): void {
  server.setRequestHandler('resources/subscribe', async ({ params: { uri } }, { mcpReq }) => {
    if (followed.size >= MOST_FOLLOWED && !followed.has(uri))
      throw new sdk.ProtocolError(
        sdk.ProtocolErrorCode.InvalidRequest,
        `${MOST_FOLLOWED} resources are subscribed to; more are not followed for one client.`,
      );
    if (!(await hasResource(uri, mcpReq.signal)))
      throw new sdk.ResourceNotFoundError(uri, `There is no resource ${foreignText(uri)}.`);
    followed.add(uri);
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', async ({ params: { uri } }) => {
    followed.delete(uri);
    return {};
  });
}

function send(server: Server, change: ServedChange): Promise<void> {
  switch (change.kind) {
    case 'tools':
      return server.sendToolListChanged();
    case 'prompts':
      return server.sendPromptListChanged();
    case 'resources':
      return server.sendResourceListChanged();
    case 'resource':
      return server.sendResourceUpdated({ uri: change.uri });
  }
}
