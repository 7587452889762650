import type { WireSettings } from '../connection.js';
import type { ModelError } from '../model.js';
import { withoutRefused } from '../tuning.js';
import type { Adaptation } from '../wire/wire-format.js';

export interface GeminiSettings extends WireSettings {
  /** Gemini 3 takes media inside a result; earlier ones beside it. */
  mediaInResults: boolean;
  /** Gemini 3 refuses a call without a signature. */
  wantsSignatures: boolean;
  showThoughts: boolean;
  sendsIds: boolean;
}

export function geminiDefaults(
  model: string,
): Pick<GeminiSettings, 'mediaInResults' | 'wantsSignatures' | 'showThoughts' | 'sendsIds'> {
  const generation = Number(/gemini-(\d+)/.exec(model)?.[1] ?? '0');
  const thinks = generation >= 3 || /gemini-2\.5/.test(model);
  return {
    mediaInResults: generation >= 3,
    wantsSignatures: generation >= 3,
    showThoughts: thinks,
    sendsIds: true,
  };
}

export function learnFromRefusal(settings: GeminiSettings, error: ModelError): Adaptation | null {
  if (error.kind !== 'bad-request') return null;
  const { message } = error;
  const retuned = withoutRefused(settings.tuning, { model: settings.model, message });
  if (retuned) return retuned;
  if (!settings.wantsSignatures && /thought_?signature/i.test(message)) {
    settings.wantsSignatures = true;
    return {
      notice: 'This model requires signatures on earlier calls; they are sent from now on.',
      reencode: true,
    };
  }
  if (settings.sendsIds && /unknown name \\?"id\\?"/i.test(message)) {
    settings.sendsIds = false;
    return {
      notice: 'This server does not accept ids of calls; they are left out from now on.',
      reencode: true,
    };
  }
  if (settings.showThoughts && /thinking|include_?thoughts/i.test(message)) {
    settings.showThoughts = false;
    return { notice: 'This model does not show its reasoning.', reencode: false };
  }
  if (settings.mediaInResults && /function_?response.{0,40}parts|multimodal function/i.test(message)) {
    settings.mediaInResults = false;
    return { notice: 'Images of results are sent beside them from now on.', reencode: true };
  }
  return null;
}
