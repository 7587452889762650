import { expect, it } from 'vitest';
import { type ModelInFiles, readFlags, readModelEnvironment } from './user-layers.js';

const dashScope = 'https://dashscope.aliyuncs.com/compatible-mode/v1';

const cases: [string, Record<string, string>, ModelInFiles, Record<string, string>][] = [
  ['nothing', {}, {}, {}],
  ['an OpenAI key', { OPENAI_API_KEY: 'k' }, {}, { provider: 'openai', apiKey: 'k' }],
  [
    'everything for OpenAI',
    { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'http://localhost:8000/v1', OPENAI_MODEL: 'm' },
    {},
    { provider: 'openai', apiKey: 'k', baseUrl: 'http://localhost:8000/v1', name: 'm' },
  ],
  [
    'an address without a key',
    { OPENAI_BASE_URL: 'http://localhost:1' },
    {},
    { provider: 'openai', baseUrl: 'http://localhost:1' },
  ],
  [
    'an Anthropic key',
    { ANTHROPIC_API_KEY: 'k', ANTHROPIC_MODEL: 'm' },
    {},
    { provider: 'anthropic', apiKey: 'k', name: 'm' },
  ],
  [
    'a Gemini key',
    { GEMINI_API_KEY: 'k', GOOGLE_GEMINI_BASE_URL: 'https://g.org' },
    {},
    { provider: 'gemini', apiKey: 'k', baseUrl: 'https://g.org' },
  ],
  [
    'a DashScope key',
    { DASHSCOPE_API_KEY: 'k', OPENAI_MODEL: 'qwen' },
    {},
    { provider: 'openai', apiKey: 'k', baseUrl: dashScope, name: 'qwen' },
  ],
  [
    'several keys',
    { GEMINI_API_KEY: 'g', ANTHROPIC_API_KEY: 'a', DASHSCOPE_API_KEY: 'd' },
    {},
    { provider: 'anthropic', apiKey: 'a' },
  ],
  ['an empty key', { OPENAI_API_KEY: '', GEMINI_API_KEY: 'g' }, {}, { provider: 'gemini', apiKey: 'g' }],
  ['a model name alone', { OPENAI_MODEL: 'm' }, {}, {}],
  [
    'the chosen provider only',
    { OPENAI_API_KEY: 'o', ANTHROPIC_API_KEY: 'a' },
    { provider: 'anthropic' },
    { apiKey: 'a' },
  ],
  ['no variables for the offline model', { OPENAI_API_KEY: 'o' }, { provider: 'offline' }, {}],
  ['a key over one in a file', { OPENAI_API_KEY: 'o' }, { provider: 'openai', apiKey: 'f' }, { apiKey: 'o' }],
  [
    'no key for an address that has its own',
    { OPENAI_API_KEY: 'o' },
    { provider: 'openai', apiKey: 'f', baseUrl: 'https://f.org', together: true },
    {},
  ],
  [
    'its own address with its own key',
    { OPENAI_API_KEY: 'o', OPENAI_BASE_URL: 'https://o.org' },
    { provider: 'openai', apiKey: 'f', baseUrl: 'https://f.org', together: true },
    { apiKey: 'o', baseUrl: 'https://o.org' },
  ],
  [
    'a DashScope key for DashScope only',
    { DASHSCOPE_API_KEY: 'd' },
    { provider: 'openai', baseUrl: 'https://evil.org/dashscope.aliyuncs.com' },
    {},
  ],
  [
    'the account that the name of the model belongs to',
    { OPENAI_API_KEY: 'o', ANTHROPIC_API_KEY: 'a' },
    { name: 'claude-x' },
    { provider: 'anthropic', apiKey: 'a' },
  ],
  [
    'no key of a provider for an address of another host',
    { ANTHROPIC_API_KEY: 'a', GEMINI_API_KEY: 'g' },
    { baseUrl: 'http://localhost:8000/v1' },
    {},
  ],
  [
    'a DashScope key for an address in the environment',
    { DASHSCOPE_API_KEY: 'd', OPENAI_BASE_URL: 'https://dashscope-us.aliyuncs.com/compatible-mode/v1' },
    {},
    {
      provider: 'openai',
      baseUrl: 'https://dashscope-us.aliyuncs.com/compatible-mode/v1',
      apiKey: 'd',
    },
  ],
  [
    'no DashScope key for a key that a file gives to OpenAI',
    { DASHSCOPE_API_KEY: 'd' },
    { provider: 'openai', apiKey: 'f' },
    {},
  ],
  [
    'no DashScope key for a host of one of its customers',
    { DASHSCOPE_API_KEY: 'd' },
    { baseUrl: 'https://bucket.oss-cn-beijing.aliyuncs.com' },
    {},
  ],
  [
    'a DashScope key for its other regions',
    { DASHSCOPE_API_KEY: 'd' },
    { provider: 'openai', baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1' },
    { apiKey: 'd' },
  ],
];

it.each(cases)('the environment gives %s', (_name, environment, chosen, expected) => {
  const { assignments, problems } = readModelEnvironment(environment, chosen);
  expect(problems).toEqual([]);
  expect(Object.fromEntries(assignments.map(({ path, value }) => [path[1], value]))).toEqual(expected);
});

it('the reader of settings names the variable a bad address came from', () => {
  expect(readModelEnvironment({ OPENAI_BASE_URL: 'localhost:8000' }, {}).problems).toEqual([
    {
      where: 'OPENAI_BASE_URL',
      message: 'model.baseUrl: expected an http or https address, got "localhost:8000".',
    },
  ]);
});

it('the reader of settings checks flags like settings and names them', () => {
  const { problems } = readFlags({
    '--approval-mode': 'yollo',
    '--max-turns': 'many',
    '--allowed-tools': ['Bash(x)'],
  });
  expect(problems).toEqual([
    {
      where: '--approval-mode',
      message:
        'approvalMode: expected one of "plan", "default", "auto-edit", "yolo", got string "yollo". Did you mean "yolo"?',
    },
    {
      where: '--max-turns',
      message: 'model.maxTurns: expected a whole number from 1 to 10000, got string "many".',
    },
    { where: '--allowed-tools', message: expect.stringMatching(/^tools\.allowed\[0\]: unknown verb Bash/) },
  ]);
  expect(() => readFlags({ '--colour': 'x' })).toThrow('--colour is not the flag of a setting');
});

it('the reader of settings leaves a dollar sign in a flag alone: the shell has had its turn', () => {
  expect(readFlags({ '--model': 'a$B' }).assignments[0]?.value).toBe('a$B');
});
