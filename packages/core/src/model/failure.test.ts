import { describe, expect, it } from 'vitest';
import { classifyFailure, type Endpoint, toolAtFault } from './failure.js';
import type { ModelErrorKind } from './model.js';

const endpoint: Endpoint = {
  label: 'OpenAI',
  host: 'api.openai.com',
  model: 'gpt-x',
  keyVariable: 'OPENAI_API_KEY',
  key: 'sk-secret-key',
};
const sent = (...names: string[]) => names.map((name) => ({ name, wireName: name }));

const table: [number, unknown, ModelErrorKind, boolean][] = [
  [
    401,
    {
      error: {
        message: 'Incorrect API key provided',
        type: 'invalid_request_error',
        code: 'invalid_api_key',
      },
    },
    'auth',
    false,
  ],
  [
    401,
    { type: 'error', error: { type: 'authentication_error', message: 'invalid x-api-key' } },
    'auth',
    false,
  ],
  [
    403,
    {
      error: {
        message: 'Country, region, or territory not supported',
        code: 'unsupported_country_region_territory',
      },
    },
    'auth',
    false,
  ],
  [
    400,
    {
      error: {
        code: 400,
        message: 'API key not valid. Please pass a valid API key.',
        status: 'INVALID_ARGUMENT',
      },
    },
    'auth',
    false,
  ],
  [
    429,
    {
      error: {
        message: 'You exceeded your current quota, please check your plan and billing details.',
        type: 'insufficient_quota',
        code: 'insufficient_quota',
      },
    },
    'auth',
    false,
  ],
  [402, { error: { message: 'Insufficient Balance' } }, 'auth', false],
  [
    400,
    {
      type: 'error',
      error: {
        type: 'invalid_request_error',
        message: 'Your credit balance is too low to access the Anthropic API.',
      },
    },
    'auth',
    false,
  ],
  [
    404,
    {
      error: {
        message: 'The model `gpt-x` does not exist or you do not have access to it.',
        code: 'model_not_found',
      },
    },
    'model',
    false,
  ],
  [404, { type: 'error', error: { type: 'not_found_error', message: 'model: claude-nope' } }, 'model', false],
  [
    404,
    {
      error: {
        code: 404,
        message: 'models/gemini-nope is not found for API version v1beta',
        status: 'NOT_FOUND',
      },
    },
    'model',
    false,
  ],
  [400, { error: { message: 'gpt-nope is not a valid model ID', code: 400 } }, 'model', false],
  // As the Responses format words them.
  [
    400,
    {
      error: {
        message:
          'Your input exceeds the context window of this model. Please adjust your input and try again.',
        type: 'invalid_request_error',
        param: 'input',
        code: 'context_length_exceeded',
      },
    },
    'context-overflow',
    false,
  ],
  [
    404,
    {
      error: {
        message: 'This model is only supported in v1/responses and not in v1/chat/completions.',
        type: 'invalid_request_error',
        param: 'model',
        code: null,
      },
    },
    'bad-request',
    false,
  ],
  [
    400,
    {
      error: {
        message: "Invalid type for 'input[3].output': expected a string, but got an object instead.",
        type: 'invalid_request_error',
        param: 'input[3].output',
        code: 'invalid_type',
      },
    },
    'bad-request',
    false,
  ],
  [404, { error: 'model "llama9" not found, try pulling it first' }, 'model', false],
  [404, '404 page not found', 'bad-request', false],
  [
    429,
    { error: { message: 'Rate limit reached for gpt-4o', type: 'tokens', code: 'rate_limit_exceeded' } },
    'rate-limit',
    true,
  ],
  [
    429,
    {
      type: 'error',
      error: { type: 'rate_limit_error', message: 'This request would exceed your rate limit' },
    },
    'rate-limit',
    true,
  ],
  [
    429,
    {
      error: {
        code: 429,
        message: 'Quota exceeded for quota metric GenerateRequestsPerDay',
        status: 'RESOURCE_EXHAUSTED',
      },
    },
    'rate-limit',
    false,
  ],
  [529, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 'overload', true],
  [
    503,
    { error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } },
    'overload',
    true,
  ],
  [502, '<html><body>Bad gateway</body></html>', 'overload', true],
  [500, '', 'overload', true],
  [
    400,
    {
      error: {
        message:
          "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
        code: 'context_length_exceeded',
      },
    },
    'context-overflow',
    false,
  ],
  [
    400,
    {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens > 200000 maximum' },
    },
    'context-overflow',
    false,
  ],
  [
    400,
    {
      error: {
        code: 400,
        message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
      },
    },
    'context-overflow',
    false,
  ],
  [
    413,
    { type: 'error', error: { type: 'request_too_large', message: 'Request exceeds the maximum size' } },
    'context-overflow',
    false,
  ],
  [
    500,
    {
      error: {
        code: 500,
        message: 'the request exceeds the available context size, try increasing it',
        type: 'exceed_context_size_error',
      },
    },
    'context-overflow',
    false,
  ],
  [
    400,
    {
      error: {
        message: "Invalid value: 'tol'. Supported values are: 'system' ...",
        param: 'messages[2].role',
      },
    },
    'bad-request',
    false,
  ],
  [422, { detail: [{ loc: ['body', 'messages'], msg: 'field required' }] }, 'bad-request', false],
  [200, { error: { message: 'upstream went away', code: 502 } }, 'overload', true],
];

it.each(table)('status %s with %j is %s', (status, body, kind, retryable) => {
  expect(classifyFailure(endpoint, { status, body, tools: [] })).toMatchObject({
    name: 'ModelError',
    kind,
    retryable,
  });
});

describe('the message', () => {
  const message = (status: number, body: unknown, changed: Partial<Endpoint> = {}, retryAfterMs?: number) =>
    classifyFailure(
      { ...endpoint, ...changed },
      { status, body, tools: sent('one', 'two'), ...(retryAfterMs === undefined ? {} : { retryAfterMs }) },
    ).message;

  it.each<[string, string]>([
    [
      message(401, { error: { message: 'Incorrect API key provided' } }),
      'OpenAI (api.openai.com) did not accept the key. It says: Incorrect API key provided. Put a valid key into OPENAI_API_KEY.',
    ],
    [
      message(402, {}),
      'OpenAI (api.openai.com) does not answer: the account has no credit left. Add credit to the account, or use another key in OPENAI_API_KEY.',
    ],
    [
      message(404, { error: { message: 'model not found' } }),
      'OpenAI (api.openai.com) does not know the model gpt-x. It says: model not found. Choose another with --model, and check that --base-url is the right host.',
    ],
    [
      message(
        404,
        { error: 'model "q" not found, try pulling it first' },
        { label: 'Ollama', host: '127.0.0.1:11434', model: 'q' },
      ),
      'Ollama (127.0.0.1:11434) does not know the model q. It says: model "q" not found, try pulling it first. Run `ollama pull q`, or choose another with --model.',
    ],
    [
      message(404, '<!doctype html><html></html>'),
      'OpenAI (api.openai.com) refused the request with status 404. It says: It answered with a web page. There is nothing at this address: check --base-url.',
    ],
    [
      message(429, { error: { message: 'Slow down' } }, {}, 2500),
      'OpenAI (api.openai.com) limits how many requests it takes. It says: Slow down. It asks you to wait 3 s.',
    ],
    [
      message(503, {}),
      'OpenAI (api.openai.com) is overloaded or broken (status 503). Try again in a while, or use another model.',
    ],
    [
      message(400, { error: { code: 'context_length_exceeded', message: 'too long' } }),
      'The conversation is too long for gpt-x. It says: too long. Start a new session, or use a model with a larger context.',
    ],
    [
      message(400, { error: { message: "Invalid schema for function 'two'" } }),
      "OpenAI (api.openai.com) refused the tool two with status 400. It says: Invalid schema for function 'two'. Leave it out with --exclude-tools two, or fix its parameter schema.",
    ],
    [
      message(400, { error: { message: 'odd' } }),
      'OpenAI (api.openai.com) refused the request with status 400. It says: odd. Check --model and --base-url; --debug logs the request.',
    ],
  ])('says what happened and what to do: %s', (actual, expected) => {
    expect(actual).toBe(expected);
  });

  it('never repeats the key, and is bounded', () => {
    expect(message(401, { error: { message: 'bad key sk-secret-key' } })).toContain('bad key [key]');
    expect(message(400, { error: { message: 'x'.repeat(5000) } }).length).toBeLessThan(900);
  });
});

it.each<[string, string | undefined]>([
  ['tools.1.custom.input_schema: bad', 'beta'],
  ['tools[0].function: bad', 'alpha'],
  ['GenerateContentRequest.tools[0].function_declarations[1].name: Invalid', 'beta'],
  ["Invalid schema for function 'wire_beta'", 'beta'],
  ['functionDeclaration `wire_alpha` schema', 'alpha'],
  ['messages.1.content: bad', undefined],
  ['tools.9: bad', undefined],
])('the refusal %s is about %s', (text, name) => {
  const tools = [
    { name: 'alpha', wireName: 'wire_alpha' },
    { name: 'beta', wireName: 'wire_beta' },
  ];
  expect(toolAtFault(text, tools)).toBe(name);
});
