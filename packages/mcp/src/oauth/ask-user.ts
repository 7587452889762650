import type { FetchLike } from '@modelcontextprotocol/client';
import { messageOf } from '@toolwright/machine/base/errors.js';
import { McpFailure } from '../contract/connection.js';
import { mcpFailure, quoteServer } from '../contract/failure.js';
import { DEFAULT_LIMITS, type McpNeeds } from '../contract/needs.js';
import type { McpServerConfig } from '../contract/server-config.js';
import { withinLimit } from '../contract/within-limit.js';
import type { RefusedToken } from './authorized-fetch.js';
import type { ClientIdentity, Credentials } from './credentials.js';
import { discoverAuthority } from './discovery.js';
import { fetchSafely } from './safe-addresses.js';
import { signIn } from './sign-in.js';

export interface AuthorizerOptions {
  config: McpServerConfig;
  serverUrl: string;
  needs: Pick<McpNeeds, 'clock' | 'log' | 'tokens' | 'onSignIn' | 'limits'>;
  /** Sends requests without a token. */
  fetch: FetchLike;
}

export interface SignInTrouble {
  what: string;
  advice: string;
  cause?: unknown;
}

export function signInFailure({ config }: AuthorizerOptions, trouble: SignInTrouble): McpFailure {
  return mcpFailure({ server: config.alias, stage: 'sign in', code: 'denied', ...trouble });
}

export interface NeededSignIn {
  refused: RefusedToken;
  /** The registration of an earlier sign-in; null without one. */
  client: ClientIdentity | null;
  /** Scopes that the user has granted before and that must not get lost. */
  granted: readonly string[];
}

/** New credentials from a sign-in in the user's browser, within its limit. */
export async function askUser(
  options: AuthorizerOptions,
  { refused, client, granted }: NeededSignIn,
  signal: AbortSignal,
): Promise<Credentials> {
  const { config, serverUrl, needs } = options;
  if (!needs.onSignIn)
    throw signInFailure(options, {
      what: refused.needsMore
        ? `it wants more rights (${quoteServer(refused.scope ?? '')})`
        : 'it wants a sign-in',
      advice: 'Start `toolwright` at a terminal and use the server there, or set its headers.Authorization.',
    });
  const limitMs = needs.limits?.signIn ?? DEFAULT_LIMITS.signIn;
  const onLimit = () =>
    signInFailure(options, {
      what: `nobody signed in within ${limitMs / 1_000} s`,
      advice: 'Use the server again to be asked again.',
    });
  const run = async (within: AbortSignal): Promise<Credentials> => {
    const { oauth } = config;
    const asked = fetchSafely(options.fetch, serverUrl, oauth);
    const fetch: FetchLike = (url, init) => asked(url, { ...init, signal: init?.signal ?? within });
    const found = await discoverAuthority({ serverUrl, oauth, challenge: refused, fetch });
    const authority = { ...found, scopes: [...new Set([...granted, ...found.scopes])] };
    return await signIn({ config, authority, client, needs, fetch, signal: within });
  };
  return await withinLimit(run, { clock: needs.clock, limitMs, signal, onLimit }).catch((cause: unknown) => {
    if (signal.aborted || cause instanceof McpFailure) throw cause;
    throw signInFailure(options, {
      what: quoteServer(messageOf(cause), 500),
      advice: 'Try again, or set its oauth settings or headers.Authorization by hand.',
      cause,
    });
  });
}
