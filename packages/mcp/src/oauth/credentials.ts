import type { AuthorizationServerMetadata, OAuthTokens } from '@modelcontextprotocol/client';
import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';

/** The stored sign-in for one server address. */
export interface Credentials {
  /** The authorization server, and what to ask it for. */
  authority: Authority | null;
  client: ClientIdentity | null;
  tokens: Tokens | null;
}

export interface Authority {
  url: string;
  metadata: AuthorizationServerMetadata | null;
  /** The resource that the tokens are for. */
  resource: string | null;
  scopes: string[];
}

export interface ClientIdentity {
  clientId: string;
  clientSecret: string | null;
  /** The authority that gave this out; it is never shown to another. */
  issuer: string;
  /** The address it was registered with. */
  redirectUri: string;
}

export interface Tokens {
  accessToken: string;
  refreshToken: string | null;
  scope: string | null;
  obtainedAt: number;
  /** Null: the server did not say. */
  expiresAt: number | null;
}

/** Anything that was not written by us reads as nothing. */
export function readCredentials(entry: JsonObject | null): Credentials {
  const part = <Part>(key: keyof Credentials, needed: string): Part | null => {
    const value = entry?.[key];
    return isJsonObject(value) && typeof value[needed] === 'string' ? (value as Part) : null;
  };
  return {
    authority: part<Authority>('authority', 'url'),
    client: part<ClientIdentity>('client', 'clientId'),
    tokens: part<Tokens>('tokens', 'accessToken'),
  };
}

/** A server that sends no new refresh token means the old one to stay. */
export function toTokens(sent: OAuthTokens, before: Tokens | null, now: number): Tokens {
  const lifetime = Number(sent.expires_in);
  return {
    accessToken: sent.access_token,
    refreshToken: sent.refresh_token ?? before?.refreshToken ?? null,
    scope: sent.scope ?? before?.scope ?? null,
    obtainedAt: now,
    expiresAt: Number.isFinite(lifetime) && lifetime > 0 ? now + lifetime * 1_000 : null,
  };
}

const LONGEST_MARGIN_MS = 60_000;

/** A minute before the end, or a quarter of a short life. */
export function isDueForRefresh({ obtainedAt, expiresAt }: Tokens, now: number): boolean {
  if (expiresAt === null) return false;
  return now >= expiresAt - Math.min(LONGEST_MARGIN_MS, (expiresAt - obtainedAt) / 4);
}
