import type { WireSettings } from '../connection.js';
import type { ModelError } from '../model.js';
import { withoutImages, withoutRefused } from '../tuning.js';
import type { Adaptation } from '../wire/wire-format.js';

export interface ResponsesSettings extends WireSettings {
  /** Encrypted thoughts are asked for and sent back, so that the model goes on where it was. */
  thoughts: boolean;
}

export function learnFromRefusal(settings: ResponsesSettings, error: ModelError): Adaptation | null {
  if (error.kind !== 'bad-request') return null;
  const { message } = error;
  const retuned = withoutRefused(settings.tuning, { model: settings.model, message });
  if (retuned) return retuned;
  if (settings.thoughts && /encrypted|reasoning|include/i.test(message)) {
    settings.thoughts = false;
    return {
      notice: 'This server does not accept earlier reasoning; it is left out from now on.',
      reencode: true,
    };
  }
  if (settings.capabilities.images && /image/i.test(message) && /support|modal|invalid/i.test(message)) {
    return withoutImages(settings);
  }
  return null;
}
