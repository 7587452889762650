import type { ModelCapabilities } from './model.js';
import type { Dialect } from './schema/dialects.js';

interface Family {
  names: RegExp;
  takes: Partial<ModelCapabilities>;
}

const k = (thousands: number) => thousands * 1000;

/**
 * The first row that fits decides; `takes` overrides what is assumed of the wire format. Only what changes
 * the request is listed: a model that is not here works, with the assumptions.
 */
const families: readonly Family[] = [
  { names: /claude-3-haiku/, takes: { contextWindow: k(200), maxOutputTokens: 4096 } },
  { names: /claude-3-5/, takes: { contextWindow: k(200), maxOutputTokens: 8192 } },
  { names: /claude-opus-4(-0|-1|-2\d{7}|$)/, takes: { contextWindow: k(200), maxOutputTokens: 32_000 } },
  {
    names: /claude-(3-7|haiku-4|sonnet-4|opus-4)/,
    takes: { contextWindow: k(200), maxOutputTokens: 64_000 },
  },
  { names: /claude/, takes: { maxOutputTokens: 64_000 } },
  { names: /gemini/, takes: { contextWindow: 1_048_576, maxOutputTokens: 65_536 } },
  { names: /gpt-5/, takes: { contextWindow: k(400) } },
  { names: /gpt-4\.1/, takes: { contextWindow: 1_047_576 } },
  { names: /gpt-4o.*audio/, takes: { audio: true, contextWindow: k(128) } },
  { names: /gpt-4o|gpt-4-turbo|chatgpt-4o/, takes: { contextWindow: k(128) } },
  { names: /\bo(1|3)-mini/, takes: { images: false, pdf: false, contextWindow: k(200) } },
  { names: /\bo(1|3|4)\b/, takes: { contextWindow: k(200) } },
  { names: /gpt-3\.5/, takes: { images: false, pdf: false, contextWindow: 16_385 } },
  { names: /gpt-oss/, takes: { images: false, pdf: false, contextWindow: 131_072 } },
  { names: /qwen.*(vl|omni)|qvq|qwen3\.[5-9]/, takes: { images: true } },
  { names: /qwen3-coder-(plus|flash)/, takes: { images: false, contextWindow: 1_000_000 } },
  { names: /qwen|qwq/, takes: { images: false } },
  { names: /deepseek.*(vl|ocr)/, takes: { images: true } },
  { names: /deepseek-v4/, takes: { images: false, contextWindow: 1_048_576 } },
  { names: /deepseek/, takes: { images: false, contextWindow: k(128) } },
  { names: /kimi-k2(\.[5-9])/, takes: { contextWindow: 262_144 } },
  { names: /kimi-k2/, takes: { images: false, contextWindow: 262_144 } },
  { names: /glm-\d(\.\d)?v/, takes: { images: true } },
  { names: /glm-/, takes: { images: false } },
  { names: /codestral|devstral|mistral-7b|mixtral|mistral-nemo/, takes: { images: false } },
  {
    names: /llama-?(2|3(\.1|\.3)?)([:-]|$)|codellama|starcoder|phi-?[123]\b|granite-(3|4)/,
    takes: { images: false },
  },
];

const assumed: Record<Dialect, ModelCapabilities> = {
  openai: { images: true, pdf: false, audio: false },
  anthropic: { images: true, pdf: true, audio: false },
  gemini: { images: true, pdf: true, audio: true },
};

export interface CapabilityQuestion {
  provider: Dialect;
  model: string;
  /** Host of the base address. */
  host: string;
  overrides?: Partial<ModelCapabilities> | undefined;
}

export function capabilitiesOf({ provider, model, host, overrides }: CapabilityQuestion): ModelCapabilities {
  const name = model.toLowerCase();
  const family = families.find(({ names }) => names.test(name));
  const takesFiles = provider === 'openai' && /(^|\.)(openai\.com|openrouter\.ai|azure\.com)$/.test(host);
  const { pdf, ...others } = assumed[provider];
  return { ...others, pdf: pdf || takesFiles, ...family?.takes, ...overrides };
}
