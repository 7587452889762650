import type { FetchLike } from '@modelcontextprotocol/client';
import { type Challenge, challengeIn } from './refusal.js';

export interface Authorizer {
  /** A token that is not about to end; null when there is none yet. */
  token(signal: AbortSignal): Promise<string | null>;
  /** Gets another token than the one that was refused, or throws and says why not. */
  renew(refused: RefusedToken, signal: AbortSignal): Promise<string>;
  isSigningIn(): boolean;
  /** The failure for a token that is new and refused all the same. */
  hopeless(challenge: Challenge): Error;
}

export interface RefusedToken extends Challenge {
  token: string | null;
}

/**
 * Requests with a token, asked again once when the server wants another. It is done here, below the transports, so that
 * every request of every transport is treated alike, a refusal with status 200 included.
 */
export function authorizedFetch(
  fetch: FetchLike,
  authorizer: Authorizer,
  defaultSignal: AbortSignal,
): FetchLike {
  return async (url, init = {}) => {
    const signal = init.signal ?? defaultSignal;
    const send = async (token: string | null) => {
      const headers = new Headers(init.headers);
      if (token !== null) headers.set('authorization', `Bearer ${token}`);
      return await readChallenge(await fetch(url, { ...init, headers }));
    };
    const token = await authorizer.token(signal);
    const first = await send(token);
    if (first.challenge === null) return first.response;
    await first.response.body?.cancel();
    const second = await send(await authorizer.renew({ ...first.challenge, token }, signal));
    if (second.challenge === null) return second.response;
    await second.response.body?.cancel();
    throw authorizer.hopeless(second.challenge);
  };
}

async function readChallenge(
  response: Response,
): Promise<{ response: Response; challenge: Challenge | null }> {
  const { status, headers } = response;
  const header = (name: string) => headers.get(name);
  const isJson = status === 200 && /^application\/json\b/i.test(headers.get('content-type') ?? '');
  if (!isJson) return { response, challenge: challengeIn({ status, header, text: '' }) };
  const text = await response.text();
  return {
    response: new Response(text, { status, headers }),
    challenge: challengeIn({ status, header, text }),
  };
}
