import { expect, it } from 'vitest';
import { capabilitiesOf } from './capabilities.js';
import type { ModelCapabilities } from './model.js';

it.each<['openai' | 'anthropic' | 'gemini', string, string, Partial<ModelCapabilities>]>([
  ['openai', 'gpt-5.1', 'api.openai.com', { images: true, pdf: true, contextWindow: 400_000 }],
  ['openai', 'gpt-5.1-codex', 'api.openai.com', { images: true, pdf: true, contextWindow: 400_000 }],
  ['openai', 'o3-pro', 'api.openai.com', { images: true, pdf: true }],
  ['openai', 'gpt-5.1-codex', '127.0.0.1', { images: true, pdf: false }],
  ['openai', 'openai/gpt-4.1-mini', 'openrouter.ai', { images: true, pdf: true, contextWindow: 1_047_576 }],
  ['openai', 'o3-mini', 'api.openai.com', { images: false, pdf: false }],
  ['openai', 'o3', 'api.openai.com', { images: true }],
  ['openai', 'deepseek-chat', 'api.deepseek.com', { images: false, pdf: false }],
  ['openai', 'qwen3-coder-plus', 'dashscope.aliyuncs.com', { images: false, contextWindow: 1_000_000 }],
  ['openai', 'qwen2.5-vl-72b-instruct', 'dashscope.aliyuncs.com', { images: true }],
  ['openai', 'llama3.1:8b', '127.0.0.1', { images: false }],
  ['openai', 'llama3.2-vision', '127.0.0.1', { images: true }],
  ['openai', 'something-new', '127.0.0.1', { images: true, pdf: false, audio: false }],
  [
    'anthropic',
    'claude-opus-4-1-20250805',
    'api.anthropic.com',
    { images: true, pdf: true, maxOutputTokens: 32_000 },
  ],
  ['anthropic', 'claude-opus-4-5', 'api.anthropic.com', { maxOutputTokens: 64_000 }],
  ['anthropic', 'claude-3-5-haiku-latest', 'api.anthropic.com', { maxOutputTokens: 8192 }],
  ['anthropic', 'claude-opus-5', 'api.anthropic.com', { maxOutputTokens: 64_000 }],
  [
    'gemini',
    'gemini-2.5-pro',
    'generativelanguage.googleapis.com',
    { images: true, pdf: true, audio: true, contextWindow: 1_048_576 },
  ],
])('%s %s at %s takes %j', (provider, model, host, expected) => {
  expect(capabilitiesOf({ provider, model, host })).toMatchObject(expected);
});

it('options overrule what is known of a model', () => {
  const overrides = { images: true, contextWindow: 5 };
  expect(capabilitiesOf({ provider: 'openai', model: 'deepseek-chat', host: 'x', overrides })).toMatchObject(
    overrides,
  );
});
