import type { WireSettings } from '../connection.js';
import type { ModelError } from '../model.js';
import { withoutImages, withoutRefused } from '../tuning.js';
import type { Adaptation } from '../wire/wire-format.js';

export interface AnthropicSettings extends WireSettings {
  cacheMarkers: boolean;
}

/** Anthropic wants a limit with every request; this one is for models the table does not know. */
const UNKNOWN_OUTPUT_LIMIT = 16_000;

export function outputLimit(settings: AnthropicSettings, asked: number | undefined): number {
  const most = settings.capabilities.maxOutputTokens ?? UNKNOWN_OUTPUT_LIMIT;
  return asked === undefined ? most : Math.min(asked, most);
}

export function learnFromRefusal(settings: AnthropicSettings, error: ModelError): Adaptation | null {
  if (error.kind !== 'bad-request' && error.kind !== 'context-overflow') return null;
  const { message } = error;
  const retuned = withoutRefused(settings.tuning, { model: settings.model, message });
  if (retuned) return retuned;
  const limit = /max_tokens: \d+ > (\d+)/.exec(message)?.[1];
  if (limit !== undefined) {
    settings.capabilities.maxOutputTokens = Number(limit);
    return {
      notice: `${settings.model} gives at most ${limit} tokens; that is asked for from now on.`,
      reencode: false,
    };
  }
  if (settings.cacheMarkers && /cache_control/i.test(message)) {
    settings.cacheMarkers = false;
    return {
      notice: 'This server does not accept cache markers; they are left out from now on.',
      reencode: false,
    };
  }
  if (settings.capabilities.images && /image/i.test(message) && /support|modal/i.test(message)) {
    return withoutImages(settings);
  }
  return null;
}
