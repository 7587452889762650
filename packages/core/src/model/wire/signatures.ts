/**
 * Proofs of thought are only good for the provider that made them, and a session may change providers. They
 * are kept with the name of their kind; Gemini's stay bare, as in its own types.
 */
export type SignatureKind = 'anthropic' | 'anthropic-redacted' | 'details' | 'extra' | 'responses';

export function tagSignature(kind: SignatureKind, value: string): string {
  return `${kind}:${value}`;
}

export function untagSignature(kind: SignatureKind, signature: string | undefined): string | undefined {
  return signature?.startsWith(`${kind}:`) ? signature.slice(kind.length + 1) : undefined;
}

/** A signature of Gemini's own: base64, so it has no colon. */
export function bareSignature(signature: string | undefined): string | undefined {
  return signature === undefined || signature.includes(':') ? undefined : signature;
}
