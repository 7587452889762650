import { isJsonObject, jsonObjectIn } from '@toolwright/machine/base/json.js';

/** A server wants a (new or wider) token. */
export interface Challenge {
  resourceMetadataUrl: string | null;
  /** The scope it asks for; null when it does not say. */
  scope: string | null;
  /** The token is good but not enough. */
  needsMore: boolean;
}

export interface Answer {
  status: number;
  header(name: string): string | null;
  /** The text of a JSON answer; empty for any other. */
  text: string;
}

const SLACK_LIKE =
  /^(invalid_auth|not_authed|token_expired|token_revoked|invalid_token|unauthorized|account_inactive)$/;
const SAID_IN_WORDS =
  /\b(unauthori[sz]ed|not authenticated|authentication required|(invalid|expired|missing) (access )?token|token (is |has )?(expired|invalid|revoked))\b/i;
const LONGEST_REFUSAL = 4_000;

/** Null when the answer is no refusal. Some servers send it with status 200. */
export function challengeIn({ status, header, text }: Answer): Challenge | null {
  const given = header('www-authenticate') ?? '';
  const challenge = {
    resourceMetadataUrl: parameter(given, 'resource_metadata'),
    scope: parameter(given, 'scope'),
    needsMore: false,
  };
  if (status === 401) return challenge;
  if (status === 403)
    return parameter(given, 'error') === 'insufficient_scope' ? { ...challenge, needsMore: true } : null;
  if (status === 200 && (/^bearer\b/i.test(given) || isRefusalText(text))) return challenge;
  return null;
}

function isRefusalText(text: string): boolean {
  if (text === '' || text.length > LONGEST_REFUSAL) return false;
  const body = jsonObjectIn(text);
  if (!body || 'result' in body) return false;
  const error = body['error'];
  if (typeof error === 'string') return SLACK_LIKE.test(error);
  if (!isJsonObject(error)) return false;
  return (
    error['code'] === 401 || error['code'] === '401' || SAID_IN_WORDS.test(String(error['message'] ?? ''))
  );
}

function parameter(header: string, name: string): string | null {
  const found = new RegExp(`(?:^|[\\s,])${name}\\s*=\\s*(?:"([^"]*)"|([^\\s,]+))`, 'i').exec(header);
  return found?.[1] ?? found?.[2] ?? null;
}
