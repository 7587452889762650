import { isJsonObject } from '@toolwright/machine/base/json.js';
import { ModelError, type ModelErrorKind } from './model.js';

/** The server of a request, in words a user knows. */
export interface Endpoint {
  /** "OpenAI", "Anthropic", "Ollama" … */
  label: string;
  /** Host and port of the base address. */
  host: string;
  model: string;
  /** The environment variable the key is read from, and the key itself so that it is never repeated. */
  keyVariable: string;
  key?: string;
}

export interface Failure {
  /** HTTP status; 200 where the error came inside the stream. */
  status: number;
  /** The parsed body, or its text. */
  body: unknown;
  retryAfterMs?: number;
  /** The tools of the request, in the order they were sent. */
  tools: readonly SentTool[];
}

/** A tool's own name, and the one it was sent under. */
export interface SentTool {
  name: string;
  wireName: string;
}

interface Said {
  message: string;
  /** Every code, type and status word of the answer, lower-case. */
  codes: string;
  retryAfterMs?: number;
}

/** Turns a provider's refusal into an error that says what to do. */
export function classifyFailure(endpoint: Endpoint, failure: Failure): ModelError {
  const said = whatWasSaid(failure.body);
  const message = presentable(said.message, endpoint.key);
  const kind = kindOf(failure.status, said);
  const tool = kind.kind === 'bad-request' ? toolAtFault(said.message, failure.tools) : undefined;
  const retryAfterMs = failure.retryAfterMs ?? said.retryAfterMs;
  const status = failure.status === 200 ? statusIn(failure.body) : failure.status;
  const headline = `${headlines[kind.kind]({ endpoint, billing: kind.billing, tool, status })}`;
  const advice = advise({ kind, endpoint, said, tool, retryAfterMs, status });
  return new ModelError(
    kind.kind,
    [headline, message === '' ? '' : ` ${quoted(message)}`, ` ${advice}`].join(''),
    {
      status,
      retryAfterMs,
      tool,
      retryable: kind.retryable,
    },
  );
}

interface FailureKind {
  /** An answer of a host that reports a failure is never empty. */
  kind: Exclude<ModelErrorKind, 'empty'>;
  retryable: boolean;
  billing?: boolean;
}

const contextWords =
  /context[_ ]?(length|size|window)|maximum context|prompt is too long|input is too long|too many (input )?tokens|token count.{0,40}exceeds|exceeds? the (available |maximum )?(context|number of tokens|input)|reduce the length of|request_too_large|range of input length/i;
const billingWords =
  /insufficient_quota|insufficient[_ ](balance|credit|funds)|credit balance|billing|payment required|exceeded your current quota|out of credits?|arrearage|overdue/i;
const keyWords =
  /api[_ -]?key|authentication|unauthenticated|unauthorized|invalid x-api-key|permission[_ ]?(denied|error)|api_key_invalid|access[_ ]denied|no auth credentials/i;
const modelWords =
  /model[_ ]not[_ ](found|exist|supported)|\b(models?|deployment)\b.{0,120}\b(does ?n[o']t exist|not exist|not found|is not found|is not supported|not available|unknown|try pulling)|not a valid model|unknown model|invalid model|no such model|(^|\s)model: \S+$/i;
const overloadWords =
  /overload|unavailable|server_error|internal|api_error|timeout|timed out|bad gateway|capacity|try again later|service_tier/i;

function kindOf(status: number, said: Said): FailureKind {
  const text = `${said.codes} ${said.message}`;
  const inStream = status === 200;
  if (status === 413 || (contextWords.test(text) && status !== 401 && status !== 429))
    return { kind: 'context-overflow', retryable: false };
  if (
    status === 402 ||
    ((status === 429 || status === 403 || status === 400 || inStream) && billingWords.test(text))
  )
    return { kind: 'auth', retryable: false, billing: true };
  if (status === 401 || status === 403) return { kind: 'auth', retryable: false };
  if ((status === 400 || inStream) && keyWords.test(text)) return { kind: 'auth', retryable: false };
  if (status === 429 || /rate[_ ]?limit|resource_exhausted|too many requests|throttl/i.test(text))
    return { kind: 'rate-limit', retryable: !/per ?day|daily/i.test(text) };
  if ((status === 404 || status === 400 || inStream) && modelWords.test(text))
    return { kind: 'model', retryable: false };
  if (status === 529 || status === 408 || status === 409 || status >= 500)
    return { kind: 'overload', retryable: true };
  if (inStream && overloadWords.test(text)) return { kind: 'overload', retryable: true };
  if (inStream && !/invalid|bad[_ ]request|unsupported|schema/i.test(text))
    return { kind: 'overload', retryable: true };
  return { kind: 'bad-request', retryable: false };
}

interface Headline {
  endpoint: Endpoint;
  billing?: boolean | undefined;
  tool: string | undefined;
  status: number | undefined;
}

const place = ({ label, host }: Endpoint) => `${label} (${host})`;
const withStatus = (status: number | undefined) => (status === undefined ? '' : ` with status ${status}`);

const headlines: Record<FailureKind['kind'], (told: Headline) => string> = {
  auth: ({ endpoint, billing }) =>
    billing
      ? `${place(endpoint)} does not answer: the account has no credit left.`
      : `${place(endpoint)} did not accept the key.`,
  model: ({ endpoint }) => `${place(endpoint)} does not know the model ${endpoint.model}.`,
  'rate-limit': ({ endpoint }) => `${place(endpoint)} limits how many requests it takes.`,
  overload: ({ endpoint, status }) =>
    `${place(endpoint)} is overloaded or broken${status === undefined ? '' : ` (status ${status})`}.`,
  'context-overflow': ({ endpoint }) => `The conversation is too long for ${endpoint.model}.`,
  'bad-request': ({ endpoint, tool, status }) =>
    tool === undefined
      ? `${place(endpoint)} refused the request${withStatus(status)}.`
      : `${place(endpoint)} refused the tool ${tool}${withStatus(status)}.`,
  network: ({ endpoint }) => `${place(endpoint)} can't be reached.`,
  protocol: ({ endpoint }) => `${place(endpoint)} answered in a way that can't be read.`,
};

interface Advice {
  kind: FailureKind;
  endpoint: Endpoint;
  said: Said;
  tool: string | undefined;
  retryAfterMs: number | undefined;
  status: number | undefined;
}

function advise({ kind, endpoint, said, tool, retryAfterMs, status }: Advice): string {
  switch (kind.kind) {
    case 'auth':
      return kind.billing
        ? `Add credit to the account, or use another key in ${endpoint.keyVariable}.`
        : `Put a valid key into ${endpoint.keyVariable}${status === 403 ? ' that may use this model here' : ''}.`;
    case 'model':
      return /ollama|pulling/i.test(`${endpoint.label} ${said.message}`)
        ? `Run \`ollama pull ${endpoint.model}\`, or choose another with --model.`
        : 'Choose another with --model, and check that --base-url is the right host.';
    case 'rate-limit':
      return retryAfterMs === undefined
        ? 'Wait a while, or use another model or key.'
        : `It asks you to wait ${Math.ceil(retryAfterMs / 1000)} s.`;
    case 'overload':
      return 'Try again in a while, or use another model.';
    case 'context-overflow':
      return 'Start a new session, or use a model with a larger context.';
    default:
      if (tool !== undefined)
        return `Leave it out with --exclude-tools ${tool}, or fix its parameter schema.`;
      return status === 404 || status === 405
        ? 'There is nothing at this address: check --base-url.'
        : 'Check --model and --base-url; --debug logs the request.';
  }
}

function whatWasSaid(body: unknown): Said {
  if (typeof body === 'string')
    return { message: /<html|<!doctype/i.test(body) ? 'It answered with a web page.' : body, codes: '' };
  if (Array.isArray(body)) return whatWasSaid(body[0]);
  if (!isJsonObject(body)) return { message: '', codes: '' };
  const error = body['error'] ?? body['detail'] ?? body;
  if (typeof error === 'string') return { message: error, codes: '' };
  if (!isJsonObject(error)) return { message: JSON.stringify(error), codes: '' };
  const nested = isJsonObject(error['metadata']) ? error['metadata']['raw'] : undefined;
  const message = [error['message'] ?? error['msg'] ?? '', nested ?? '']
    .map((item) => (typeof item === 'string' ? item : JSON.stringify(item)))
    .filter((item) => item !== '')
    .join(' ');
  const codes = [error['type'], error['code'], error['status'], error['param'], detailReasons(error)]
    .filter((item) => typeof item === 'string' || typeof item === 'number')
    .join(' ')
    .toLowerCase();
  const retryAfterMs = retryDelayIn(error['details']);
  return { message, codes, retryAfterMs };
}

function detailReasons(error: Record<string, unknown>): string {
  const details = Array.isArray(error['details']) ? error['details'] : [];
  return details.map((detail) => (isJsonObject(detail) ? String(detail['reason'] ?? '') : '')).join(' ');
}

/** Gemini says how long to wait inside the error: `{"retryDelay": "17s"}`. */
function retryDelayIn(details: unknown): number | undefined {
  if (!Array.isArray(details)) return undefined;
  for (const detail of details) {
    const delay = isJsonObject(detail) ? detail['retryDelay'] : undefined;
    const seconds = typeof delay === 'string' ? Number.parseFloat(delay) : Number.NaN;
    if (seconds >= 0) return seconds * 1000;
  }
  return undefined;
}

function statusIn(body: unknown): number | undefined {
  const error = isJsonObject(body) && isJsonObject(body['error']) ? body['error'] : {};
  const code = Number(error['code']);
  return Number.isInteger(code) && code >= 400 && code < 600 ? code : undefined;
}

const indexed = [
  /\btools\.(\d+)\b/,
  /\btools\[(\d+)\]\.(?!function_?declarations)/i,
  /function_?declarations\[(\d+)\]/i,
  /\bfunctions\[(\d+)\]/,
];
const named = [
  /\bfunction '([^']+)'/i,
  /\btool '([^']+)'/i,
  /functionDeclaration `([^`]+)`/i,
  /\bfunction `([^`]+)`/i,
];

/** The tool a refusal is about: providers give its place in the list, or its name. */
export function toolAtFault(message: string, tools: readonly SentTool[]): string | undefined {
  for (const pattern of indexed) {
    const match = pattern.exec(message);
    const tool = match ? tools[Number(match[1])] : undefined;
    if (tool) return tool.name;
  }
  for (const pattern of named) {
    const name = pattern.exec(message)?.[1];
    const tool = tools.find((candidate) => candidate.wireName === name);
    if (tool) return tool.name;
  }
  return undefined;
}

function presentable(message: string, key: string | undefined): string {
  const safe = key !== undefined && key.length >= 6 ? message.replaceAll(key, '[key]') : message;
  const line = safe.replace(/\s+/g, ' ').trim();
  return line.length <= 600 ? line : `${line.slice(0, 600)}…`;
}

function quoted(message: string): string {
  return /[.!?…]$/.test(message) ? `It says: ${message}` : `It says: ${message}.`;
}
