import { isNodeError, messageOf } from '../../base/errors.js';

/**
 * `unreachable`: no connection. `silent`: nothing arrived for too long. `broken`: the connection ended in the middle.
 * `proxy`: the proxy refused. `invalid`: the request itself can't be sent.
 */
export type HttpErrorKind = 'unreachable' | 'silent' | 'broken' | 'proxy' | 'invalid';

/** No response, or half of one. The message names the host and what to do. */
export class HttpError extends Error {
  override readonly name = 'HttpError';

  constructor(
    readonly kind: HttpErrorKind,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

const causes: Record<string, string> = {
  ECONNREFUSED: 'nothing is listening there. Check the address and that the server runs',
  ENOTFOUND: 'the name is not known. Check its spelling and the network',
  EAI_AGAIN: 'the name could not be looked up just now. Check the network',
  ETIMEDOUT: 'the connection timed out. Check the network, a firewall, or the proxy variables',
  EHOSTUNREACH: 'there is no route to it. Check the network',
  ENETUNREACH: 'there is no route to it. Check the network',
  ECONNRESET:
    'the connection was closed at once. If the server speaks https, check http or https in the address',
  EPROTO: 'it does not answer as a TLS server. Check http or https in the address',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  DEPTH_ZERO_SELF_SIGNED_CERT:
    'its certificate is signed by itself. To trust it, name its file in NODE_EXTRA_CA_CERTS',
  SELF_SIGNED_CERT_IN_CHAIN:
    'its certificate comes from an authority that is not trusted here. To trust it, name its file in NODE_EXTRA_CA_CERTS',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    "its certificate can't be verified. To trust its authority, name its file in NODE_EXTRA_CA_CERTS",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    'its certificate comes from an authority that is not trusted here. To trust it, name its file in NODE_EXTRA_CA_CERTS',
};

export function unreachable(where: string, error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  const code = isNodeError(error) ? String(error.code) : '';
  const reason = causes[code] ?? messageOf(error);
  return new HttpError('unreachable', `Could not reach ${where}: ${reason}${code ? ` (${code})` : ''}.`, {
    cause: error,
  });
}

export function brokenOff(where: string, received: number, error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  return new HttpError(
    'broken',
    `The connection to ${where} broke off after ${received} bytes of the answer: ${messageOf(error)}.`,
    { cause: error },
  );
}

export function silentFor(where: string, limitMs: number): HttpError {
  return new HttpError('silent', `${where} sent nothing for ${Math.round(limitMs / 100) / 10} s.`);
}
