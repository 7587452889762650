import type { FetchLike } from '@modelcontextprotocol/client';
import { messageOf } from '../../base/errors.js';
import type { JsonObject } from '../../base/json.js';
import { McpFailure } from '../connection.js';
import { mcpFailure, quoteServer } from '../failure.js';
import { withinLimit } from '../limits.js';
import { DEFAULT_LIMITS, type McpParts } from '../parts.js';
import type { McpServerConfig } from '../server-config.js';
import type { Authorizer, RefusedToken } from './authorized-fetch.js';
import { type Credentials, isDueForRefresh, readCredentials, type Tokens, toTokens } from './credentials.js';
import { discoverAuthority } from './discovery.js';
import { asClientInformation, signIn } from './sign-in.js';

export interface AuthorizerOptions {
  config: McpServerConfig;
  serverUrl: string;
  parts: Pick<McpParts, 'clock' | 'log' | 'tokens' | 'onSignIn' | 'limits'>;
  /** Without a token. */
  fetch: FetchLike;
}

/** The tokens of one server: refreshed before they end, renewed when refused, always on disk before they are used. */
export function createAuthorizer(options: AuthorizerOptions): Authorizer {
  const { config, serverUrl, parts } = options;
  let signingIn: Promise<string> | null = null;
  const failed = (what: string, advice: string, cause?: unknown): McpFailure =>
    mcpFailure({ server: config.alias, stage: 'sign in', code: 'denied', what, advice, cause });

  const read = async (): Promise<Credentials> => readCredentials(await parts.tokens.read(serverUrl));
  const save = (credentials: Credentials, signal: AbortSignal): Promise<void> =>
    parts.tokens.write(serverUrl, credentials as unknown as JsonObject, signal);

  /** Under the lock: whoever was waiting for it may find the work done. */
  async function refresh(outdated: string, signal: AbortSignal): Promise<Tokens | null> {
    return await parts.tokens.withLock(
      serverUrl,
      async () => {
        const saved = await read();
        if (saved.tokens && saved.tokens.accessToken !== outdated) return saved.tokens;
        const tokens = await requestRefresh(saved, options);
        if (tokens === 'refused') await save({ ...saved, tokens: null }, signal);
        if (tokens === null || tokens === 'refused') return null;
        await save({ ...saved, tokens }, signal);
        return tokens;
      },
      signal,
    );
  }

  async function askPerson(refused: RefusedToken, signal: AbortSignal): Promise<string> {
    if (!parts.onSignIn)
      throw failed(
        refused.needsMore
          ? `it wants more rights (${quoteServer(refused.scope ?? '')})`
          : 'it wants a sign-in',
        'Start `toolwright` at a terminal and use the server there, or set its headers.Authorization.',
      );
    const signInMs = parts.limits?.signIn ?? DEFAULT_LIMITS.signIn;
    const late = () =>
      failed(`nobody signed in within ${signInMs / 1_000} s`, 'Use the server again to be asked again.');
    const limit = { clock: parts.clock, limitMs: signInMs, signal, onLimit: late };
    const credentials = await withinLimit((within) => signInAnew(refused, within), limit).catch(
      (error: unknown) => {
        if (signal.aborted || error instanceof McpFailure) throw error;
        throw failed(
          quoteServer(messageOf(error), 500),
          'Try again, or set its oauth settings or headers.Authorization by hand.',
          error,
        );
      },
    );
    await parts.tokens.withLock(serverUrl, () => save(credentials, signal), signal);
    return credentials.tokens?.accessToken ?? '';
  }

  async function signInAnew(refused: RefusedToken, signal: AbortSignal): Promise<Credentials> {
    const { client } = await read();
    const fetch: FetchLike = (url, init) => options.fetch(url, { ...init, signal: init?.signal ?? signal });
    const challenge = refused;
    const authority = await discoverAuthority({ serverUrl, oauth: config.oauth, challenge, fetch });
    return await signIn({ config, authority, client, parts, fetch, signal });
  }

  return {
    async token(signal) {
      const { tokens } = await read();
      if (!tokens) return null;
      if (!isDueForRefresh(tokens, parts.clock.now()) || tokens.refreshToken === null)
        return tokens.accessToken;
      const renewed = await refresh(tokens.accessToken, signal).catch((error: unknown) => {
        signal.throwIfAborted();
        parts.log.error(`MCP server ${config.alias}: the token could not be refreshed early`, error);
        return tokens;
      });
      return renewed?.accessToken ?? null;
    },
    async renew(refused, signal) {
      if (refused.token !== null && !refused.needsMore) {
        const renewed = await refresh(refused.token, signal);
        if (renewed) return renewed.accessToken;
      }
      const { tokens } = await read();
      if (tokens && tokens.accessToken !== refused.token) return tokens.accessToken;
      // Several requests may be refused at once; the person is asked once for all of them.
      signingIn ??= askPerson(refused, signal).finally(() => {
        signingIn = null;
      });
      return await signingIn;
    },
    hopeless: (challenge) =>
      failed(
        challenge.needsMore
          ? `it wants more rights than it gave (${quoteServer(challenge.scope ?? '')})`
          : 'it refuses the token that was just made for it',
        'Check with its operator which account and scopes it wants.',
      ),
  };
}

/** Null: there is nothing to refresh with. `refused`: the refresh token is worth nothing any more. */
async function requestRefresh(
  saved: Credentials,
  options: AuthorizerOptions,
): Promise<Tokens | 'refused' | null> {
  const { authority, client, tokens } = saved;
  if (!authority || !client || !tokens || tokens.refreshToken === null) return null;
  const { refreshAuthorization, OAuthError } = await import('@modelcontextprotocol/client');
  try {
    const sent = await refreshAuthorization(authority.url, {
      ...(authority.metadata === null ? {} : { metadata: authority.metadata }),
      ...(authority.resource === null ? {} : { resource: authority.resource }),
      clientInformation: asClientInformation(client),
      refreshToken: tokens.refreshToken,
      fetchFn: options.fetch,
    });
    return toTokens(sent, tokens, options.parts.clock.now());
  } catch (error) {
    if (error instanceof OAuthError && error.code !== 'server_error') return 'refused';
    throw error;
  }
}
