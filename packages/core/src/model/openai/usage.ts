import { isJsonObject } from '@toolwright/machine/base/json.js';
import type { Usage } from '../model.js';

/** Usage stands beside the choices, inside the first one (Moonshot), or under `x_groq`. */
export function usageOf(chunk: Record<string, unknown>, choice: unknown): Usage | null {
  const groq = isJsonObject(chunk['x_groq']) ? chunk['x_groq']['usage'] : undefined;
  const usage = chunk['usage'] ?? groq ?? (isJsonObject(choice) ? choice['usage'] : undefined);
  if (!isJsonObject(usage)) return null;
  const input = count(usage['prompt_tokens']);
  const output = count(usage['completion_tokens']);
  if (input === undefined && output === undefined) return null;
  const cached =
    count(inside(usage['prompt_tokens_details'], 'cached_tokens')) ??
    count(usage['prompt_cache_hit_tokens']) ??
    count(usage['cached_tokens']);
  const reasoning = count(inside(usage['completion_tokens_details'], 'reasoning_tokens'));
  return {
    inputTokens: input ?? 0,
    outputTokens: output ?? 0,
    cachedTokens: cached,
    reasoningTokens: reasoning,
  };
}

function inside(value: unknown, key: string): unknown {
  return isJsonObject(value) ? value[key] : undefined;
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 ? value : undefined;
}
