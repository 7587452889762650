import type { Server } from '@modelcontextprotocol/server';
import type { ServerSdk } from '../server-sdk.js';
import type { ServedChange } from './offers.js';

/** Tells one connection what has changed. */
export type TellChange = (change: ServedChange) => void;

const MOST = 256;

/** In the older revisions a client names each resource it wants news of; in the newer one the library keeps the list. */
export function serveSubscriptions(server: Server, era: 'legacy' | 'modern', sdk: ServerSdk): TellChange {
  const subscribed = new Set<string>();
  if (era === 'legacy') {
    server.setRequestHandler('resources/subscribe', async ({ params: { uri } }) => {
      if (subscribed.size >= MOST && !subscribed.has(uri))
        throw new sdk.ProtocolError(
          sdk.ProtocolErrorCode.InvalidRequest,
          `${MOST} resources are subscribed to; more are not followed for one client.`,
        );
      subscribed.add(uri);
      return {};
    });
    server.setRequestHandler('resources/unsubscribe', async ({ params: { uri } }) => {
      subscribed.delete(uri);
      return {};
    });
  }
  return (change) => {
    if (change.kind === 'resource' && era === 'legacy' && !subscribed.has(change.uri)) return;
    void send(server, change).catch(() => undefined);
  };
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
