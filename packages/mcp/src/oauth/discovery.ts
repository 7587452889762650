import type { AuthorizationServerMetadata, FetchLike, OAuthServerInfo } from '@modelcontextprotocol/client';
import { loadClientSdk } from '../contract/client-sdk.js';
import type { McpOAuthConfig } from '../contract/server-config.js';
import type { Authority } from './credentials.js';
import type { Challenge } from './refusal.js';

export interface DiscoveryOptions {
  serverUrl: string;
  oauth: McpOAuthConfig;
  challenge: Pick<Challenge, 'resourceMetadataUrl' | 'scope'>;
  fetch: FetchLike;
}

/** Finds the authorization server of an MCP server: as configured, or as the server's own metadata say. */
export async function discoverAuthority(options: DiscoveryOptions): Promise<Authority> {
  const { serverUrl, oauth, challenge, fetch } = options;
  const asked = challenge.scope?.split(' ').filter((scope) => scope !== '') ?? [];
  const configured = configuredAuthority(oauth);
  if (configured) return { ...configured, scopes: asked.length > 0 ? asked : oauth.scopes };
  const sdk = await loadClientSdk();
  const resourceMetadataUrl =
    challenge.resourceMetadataUrl === null
      ? {}
      : { resourceMetadataUrl: new URL(challenge.resourceMetadataUrl, serverUrl) };
  const discovery = { fetchFn: fetch, ...resourceMetadataUrl };
  const found = await sdk.discoverOAuthServerInfo(serverUrl, discovery).catch(async (error: unknown) => {
    if (!(error instanceof sdk.IssuerMismatchError)) throw error;
    const lenient = { ...discovery, skipIssuerMetadataValidation: true };
    const older = await sdk.discoverOAuthServerInfo(serverUrl, lenient);
    if (!isOlderServer(older, serverUrl)) throw error;
    return older;
  });
  const offered = found.resourceMetadata?.scopes_supported ?? [];
  const wanted = [asked, oauth.scopes, offered].find((scopes) => scopes.length > 0) ?? [];
  const metadata = found.authorizationServerMetadata ?? null;
  return {
    url: found.authorizationServerUrl,
    metadata,
    resource: resourceOf(found.resourceMetadata?.resource, serverUrl, sdk.checkResourceAllowed),
    scopes: metadata?.scopes_supported?.includes('offline_access')
      ? [...new Set([...wanted, 'offline_access'])]
      : wanted,
  };
}

/** The first revision had no metadata of the resource: the server signs people in itself, under any path of its own. */
function isOlderServer(
  { resourceMetadata, authorizationServerMetadata }: OAuthServerInfo,
  serverUrl: string,
): boolean {
  const issuer = authorizationServerMetadata?.issuer ?? '';
  const isOwn = URL.canParse(issuer) && new URL(issuer).origin === new URL(serverUrl).origin;
  return resourceMetadata === undefined && isOwn;
}

function configuredAuthority(oauth: McpOAuthConfig): Omit<Authority, 'scopes'> | null {
  const { authorizationUrl, tokenUrl } = oauth;
  if (authorizationUrl === null || tokenUrl === null) return null;
  const url = new URL(authorizationUrl).origin;
  const metadata: AuthorizationServerMetadata = {
    issuer: url,
    authorization_endpoint: authorizationUrl,
    token_endpoint: tokenUrl,
    response_types_supported: ['code'],
  };
  return { url, metadata, resource: null };
}

/** A server may only ask for tokens that are meant for itself. */
function resourceOf(
  named: string | undefined,
  serverUrl: string,
  isAllowed: (question: { requestedResource: string; configuredResource: string }) => boolean,
): string | null {
  if (named === undefined) return null;
  if (isAllowed({ requestedResource: serverUrl, configuredResource: named })) return named;
  throw new Error(`its metadata is for another resource, ${named.slice(0, 200)}`);
}
