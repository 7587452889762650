import { randomBytes } from 'node:crypto';
import type { FetchLike, OAuthClientInformationMixed } from '@modelcontextprotocol/client';
import { messageOf } from '@toolwright/machine/base/errors.js';
import {
  type CallbackListener,
  type CallbackOptions,
  listenForCallback,
} from '@toolwright/machine/host/web/callback-listener.js';
import { loadClientSdk } from '../contract/client-sdk.js';
import type { McpNeeds } from '../contract/needs.js';
import type { McpServerConfig } from '../contract/server-config.js';
import { type Authority, type ClientIdentity, type Credentials, toTokens } from './credentials.js';

export interface SignInOptions {
  config: McpServerConfig;
  authority: Authority;
  /** The registration of an earlier sign-in; null without one. */
  client: ClientIdentity | null;
  needs: Pick<McpNeeds, 'clock' | 'onSignIn'>;
  fetch: FetchLike;
  signal: AbortSignal;
}

const CALLBACK_PATH = '/callback';
const CAME_BACK = 'Toolwright has the answer and says whether you are signed in. You can close this page.';
const REFUSED = 'The sign-in was refused. You can close this page and go back to Toolwright.';

/** Authorization code with PKCE: the user signs in with a browser, which comes back to this machine. */
export async function signIn(options: SignInOptions): Promise<Credentials> {
  const { config, authority, needs, fetch, signal } = options;
  const state = randomBytes(24).toString('base64url');
  const listener = await openListener(options, (query) => {
    // A program that guesses the port must not be able to end the sign-in.
    if (query.get('state') !== state) return null;
    return query.has('error') ? REFUSED : CAME_BACK;
  });
  try {
    const client = await identify(options, listener.url);
    const sdk = await loadClientSdk();
    const about = aboutAuthority(authority);
    const { authorizationUrl, codeVerifier } = await sdk.startAuthorization(authority.url, {
      ...about,
      clientInformation: asClientInformation(client),
      redirectUrl: client.redirectUri,
      state,
      scope: scopeOf(authority),
    });
    refuseStrangeAddress(authorizationUrl);
    await needs.onSignIn?.({ server: config.alias, url: authorizationUrl.href }, signal);
    const query = await listener.received(signal);
    const code = codeIn(query);
    const sent = await sdk.exchangeAuthorization(authority.url, {
      ...about,
      clientInformation: asClientInformation(client),
      authorizationCode: code,
      iss: query.get('iss') ?? undefined,
      codeVerifier,
      redirectUri: client.redirectUri,
      fetchFn: fetch,
    });
    return { authority, client, tokens: toTokens(sent, null, needs.clock.now()) };
  } finally {
    listener.close();
  }
}

/** The address of the registration, where its port is still free: authorities compare it to the letter. */
async function openListener(
  { config, client }: SignInOptions,
  answer: CallbackOptions['answer'],
): Promise<CallbackListener> {
  const wanted = config.oauth.redirectUri ?? client?.redirectUri ?? null;
  const listening = { path: CALLBACK_PATH, answer };
  if (wanted !== null) {
    const { hostname, port, pathname } = new URL(wanted);
    const host = hostname === 'localhost' ? 'localhost' : '127.0.0.1';
    const listener = await listenForCallback({
      ...listening,
      host,
      port: Number(port || 80),
      path: pathname,
    });
    if (listener) return listener;
    if (config.oauth.redirectUri !== null)
      throw new Error(`the port of its redirectUri ${wanted} is taken by another program`);
  }
  const listener = await listenForCallback({ ...listening, port: 0 });
  if (listener) return listener;
  throw new Error('no port of this machine is free for the browser to come back to');
}

async function identify(options: SignInOptions, redirectUri: string): Promise<ClientIdentity> {
  const { config, authority, client, fetch } = options;
  const issuer = issuerOf(authority);
  const { clientId, clientSecret } = config.oauth;
  const usedUri = config.oauth.redirectUri ?? redirectUri;
  if (clientId !== null) return { clientId, clientSecret, issuer, redirectUri: usedUri };
  const document = config.oauth.clientMetadataUrl;
  if (document !== null && authority.metadata?.client_id_metadata_document_supported)
    return { clientId: document, clientSecret: null, issuer, redirectUri: usedUri };
  if (client && client.issuer === issuer && client.redirectUri === redirectUri) return client;
  const { registerClient } = await loadClientSdk();
  const given = await registerClient(authority.url, {
    metadata: authority.metadata ?? undefined,
    clientMetadata: {
      client_name: 'Toolwright',
      application_type: 'native',
      redirect_uris: [usedUri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    scope: scopeOf(authority),
    fetchFn: fetch,
  }).catch((error: unknown) => {
    throw new Error(
      `it could not be asked for a client id (${messageOf(error).slice(0, 200)}). Set oauth.clientId to one that was given to you`,
      { cause: error },
    );
  });
  return {
    clientId: given.client_id,
    clientSecret: given.client_secret ?? null,
    issuer,
    redirectUri: usedUri,
  };
}

/** The facts about an authorization server that the protocol library wants in each request to it. */
export function aboutAuthority({ metadata, resource }: Authority) {
  return { metadata: metadata ?? undefined, resource: resource ?? undefined };
}

function scopeOf({ scopes }: Authority): string | undefined {
  return scopes.length > 0 ? scopes.join(' ') : undefined;
}

function issuerOf(authority: Authority): string {
  return authority.metadata?.issuer ?? authority.url;
}

export function asClientInformation({
  clientId,
  clientSecret,
}: Pick<ClientIdentity, 'clientId' | 'clientSecret'>): OAuthClientInformationMixed {
  return { client_id: clientId, client_secret: clientSecret ?? undefined };
}

function codeIn(query: URLSearchParams): string {
  const refused = query.get('error');
  if (refused !== null)
    throw new Error(`the sign-in was refused: ${refused} ${query.get('error_description') ?? ''}`.trimEnd());
  const code = query.get('code');
  if (code === null || code === '') throw new Error('the browser came back without a code');
  return code;
}

/** The sign-in address comes from the server and is opened in the user's browser, so only safe ones pass. */
function refuseStrangeAddress(url: URL): void {
  const isLocal = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLocal)) return;
  throw new Error(`its sign-in address is not safe to open: ${url.protocol}//${url.host}`);
}
