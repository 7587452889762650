import type { WireSettings } from '../connection.js';
import type { ModelError } from '../model.js';
import { withoutImages, withoutRefused } from '../tuning.js';
import type { Adaptation } from '../wire/wire-format.js';

/** Differences between hosts that all speak Chat Completions. Some are learned from a refusal. */
export interface OpenAiSettings extends WireSettings {
  /** Thoughts sent back: never, with calls, or with calls even where there was none. */
  thoughts: 'never' | 'with-calls' | 'always-with-calls';
  thoughtField: 'reasoning_content' | 'reasoning';
  outputLimitField: 'max_tokens' | 'max_completion_tokens';
  asksForUsage: boolean;
  /** Mistral takes ids of nine letters and digits only. */
  shortIds: boolean;
  /** OpenRouter sets Anthropic's cache markers when asked to. */
  cacheControl: boolean;
}

const withoutThoughts = /(^|\.)(openai\.com|azure\.com|groq\.com|mistral\.ai|googleapis\.com|cerebras\.ai)$/;

export function openAiDefaults(
  host: string,
  model: string,
): Pick<
  OpenAiSettings,
  'thoughts' | 'thoughtField' | 'outputLimitField' | 'asksForUsage' | 'shortIds' | 'cacheControl'
> {
  const official = /(^|\.)openai\.com$/.test(host);
  const deepseek = /deepseek/i.test(model) || /(^|\.)deepseek\.com$/.test(host);
  return {
    thoughts: withoutThoughts.test(host) ? 'never' : deepseek ? 'always-with-calls' : 'with-calls',
    thoughtField: 'reasoning_content',
    outputLimitField: official ? 'max_completion_tokens' : 'max_tokens',
    asksForUsage: true,
    shortIds: /(^|\.)mistral\.ai$/.test(host),
    cacheControl: /(^|\.)openrouter\.ai$/.test(host) && /anthropic|claude/i.test(model),
  };
}

interface Lesson {
  /** The words of the refusal. */
  words: RegExp;
  learn(settings: OpenAiSettings): Adaptation | null;
}

const changed = (notice: string, reencode = false): Adaptation => ({ notice, reencode });

const lessons: readonly Lesson[] = [
  {
    words: /reasoning_content.{0,80}(must be passed|missing|required)|missing.{0,20}reasoning_content/is,
    learn: (settings) => {
      if (settings.thoughts === 'always-with-calls') return null;
      settings.thoughts = 'always-with-calls';
      return changed('This server requires earlier reasoning; it is sent from now on.', true);
    },
  },
  {
    words:
      /reasoning(_content|_details)?\b.{0,60}(unsupported|not supported|unexpected|not permitted|unknown|extra)|(unknown|unexpected|unsupported|extra|unrecognized).{0,80}reasoning/is,
    learn: (settings) => {
      if (settings.thoughts === 'never') return null;
      settings.thoughts = 'never';
      return changed('This server does not accept earlier reasoning; it is left out from now on.', true);
    },
  },
  {
    words: /max_completion_tokens/i,
    learn: (settings) => {
      const other = settings.outputLimitField === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens';
      settings.outputLimitField = other;
      return changed(`The output limit is sent as ${other} from now on.`);
    },
  },
  {
    words: /stream_options|include_usage/i,
    learn: (settings) => {
      if (!settings.asksForUsage) return null;
      settings.asksForUsage = false;
      return changed('This server does not report token use.');
    },
  },
  {
    words:
      /(image|vision|multi-?modal).{0,80}(support|not a|invalid|missing|hint)|(support|unknown variant|not a|missing|invalid).{0,80}(image|vision|multi-?modal)|mmproj/is,
    learn: (settings) => {
      return settings.capabilities.images ? withoutImages(settings) : null;
    },
  },
];

export function learnFromRefusal(settings: OpenAiSettings, error: ModelError): Adaptation | null {
  if (error.kind !== 'bad-request' && error.kind !== 'overload') return null;
  const retuned = withoutRefused(settings.tuning, { model: settings.model, message: error.message });
  if (retuned) return retuned;
  for (const { words, learn } of lessons) {
    const adaptation = words.test(error.message) ? learn(settings) : null;
    if (adaptation) return adaptation;
  }
  return null;
}
