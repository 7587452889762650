import type { JsonObject } from '@toolwright/machine/base/json.js';
import { loadClientSdk } from '../contract/client-sdk.js';
import { quoteServer, seconds } from '../contract/failure.js';
import { DEFAULT_LIMITS } from '../contract/needs.js';
import { withinLimit } from '../contract/within-limit.js';
import { type AuthorizerOptions, askUser, signInFailure } from './ask-user.js';
import type { Authorizer, RefusedToken } from './authorized-fetch.js';
import { type Credentials, isDueForRefresh, readCredentials, type Tokens, toTokens } from './credentials.js';
import { fetchSafely } from './safe-addresses.js';
import { aboutAuthority, asClientInformation } from './sign-in.js';

/** Troubles of the moment: what was given out is still good. */
const PASSING: ReadonlySet<string> = new Set([
  'server_error',
  'temporarily_unavailable',
  'too_many_requests',
  'slow_down',
]);

/** The tokens of one server: refreshed before they end, renewed when refused, always on disk before they are used. */
export function createAuthorizer(options: AuthorizerOptions): Authorizer {
  const { config, needs } = options;
  let signingIn: Promise<string> | null = null;
  return {
    async token(signal) {
      const { tokens } = await read(options);
      if (!tokens) return null;
      if (!isDueForRefresh(tokens, needs.clock.now()) || tokens.refreshToken === null)
        return tokens.accessToken;
      const renewed = await refresh(options, tokens.accessToken, signal).catch((error: unknown) => {
        signal.throwIfAborted();
        needs.log.error(`MCP server ${config.alias}: the token could not be refreshed early`, error);
        return tokens;
      });
      return renewed?.accessToken ?? null;
    },
    async renew(refused, signal) {
      if (refused.token !== null && !refused.needsMore) {
        const renewed = await refresh(options, refused.token, signal);
        if (renewed) return renewed.accessToken;
      }
      const { tokens } = await read(options);
      if (tokens && tokens.accessToken !== refused.token) return tokens.accessToken;
      // Several requests may be refused at once; the user is asked once for all of them.
      signingIn ??= signInAgain(options, refused, signal).finally(() => {
        signingIn = null;
      });
      return await signingIn;
    },
    isSigningIn: () => signingIn !== null,
    hopeless: (challenge) =>
      signInFailure(options, {
        what: challenge.needsMore
          ? `it wants more rights than it gave (${quoteServer(challenge.scope ?? '')})`
          : 'it refuses the token that was just made for it',
        advice: 'Check with its operator which account and scopes it wants.',
      }),
  };
}

async function read({ needs, serverUrl }: AuthorizerOptions): Promise<Credentials> {
  return readCredentials(await needs.tokens.read(serverUrl));
}

async function save(
  { needs, serverUrl }: AuthorizerOptions,
  credentials: Credentials,
  signal: AbortSignal,
): Promise<void> {
  await needs.tokens.write(serverUrl, { ...credentials } satisfies JsonObject, signal);
}

/** Under the lock: whoever was waiting for it may find the work done. Null when there is nothing to refresh with. */
async function refresh(
  options: AuthorizerOptions,
  outdated: string,
  signal: AbortSignal,
): Promise<Tokens | null> {
  const renew = async (): Promise<Tokens | null> => {
    const saved = await read(options);
    if (saved.tokens && saved.tokens.accessToken !== outdated) return saved.tokens;
    const { clock, limits } = options.needs;
    const limitMs = limits?.refresh ?? DEFAULT_LIMITS.refresh;
    const limit = { clock, limitMs, signal, onLimit: () => tooLate(options, limitMs) };
    const tokens = await withinLimit((within) => requestRefresh(saved, options, within), limit);
    if (tokens === null) return null;
    if (typeof tokens === 'object') {
      await save(options, { ...saved, tokens }, signal);
      return tokens;
    }
    const client = tokens === 'unknown client' ? null : saved.client;
    await save(options, { ...saved, client, tokens: null }, signal);
    return null;
  };
  return await options.needs.tokens.withLock(options.serverUrl, renew, signal);
}

async function signInAgain(
  options: AuthorizerOptions,
  refused: RefusedToken,
  signal: AbortSignal,
): Promise<string> {
  const { client, tokens, authority } = await read(options);
  const granted = refused.needsMore ? (tokens?.scope?.split(' ') ?? authority?.scopes ?? []) : [];
  const credentials = await askUser(options, { refused, client, granted }, signal);
  await options.needs.tokens.withLock(options.serverUrl, () => save(options, credentials, signal), signal);
  return credentials.tokens?.accessToken ?? '';
}

function tooLate(options: AuthorizerOptions, limitMs: number): Error {
  return signInFailure(options, {
    what: `the service that signs users in did not refresh the token within ${seconds(limitMs)}`,
    advice: 'Try again later; you are still signed in.',
  });
}

/** Null: there is nothing to refresh with. A word: the refresh token, or our registration too, is worth nothing now. */
async function requestRefresh(
  { authority, client, tokens }: Credentials,
  { fetch, needs, serverUrl, config }: AuthorizerOptions,
  signal: AbortSignal,
): Promise<Tokens | 'refused' | 'unknown client' | null> {
  if (!authority || !client || !tokens || tokens.refreshToken === null) return null;
  const { refreshAuthorization, OAuthError } = await loadClientSdk();
  try {
    const sent = await refreshAuthorization(authority.url, {
      ...aboutAuthority(authority),
      clientInformation: asClientInformation(client),
      refreshToken: tokens.refreshToken,
      fetchFn: (url, init) => fetchSafely(fetch, serverUrl, config.oauth)(url, { ...init, signal }),
    });
    return toTokens(sent, tokens, needs.clock.now());
  } catch (error) {
    if (!(error instanceof OAuthError) || PASSING.has(error.code)) throw error;
    return error.code === 'invalid_client' || error.code === 'unauthorized_client'
      ? 'unknown client'
      : 'refused';
  }
}
