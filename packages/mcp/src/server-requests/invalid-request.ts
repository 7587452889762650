const INVALID_PARAMS = -32_602;

/** A request of a server that can't be answered as it is, with the number that the protocol has for it. */
export function invalidRequest(kind: 'elicitation' | 'sampling', what: string): Error {
  return Object.assign(new Error(`Invalid ${kind} request: ${what}.`), { code: INVALID_PARAMS });
}
