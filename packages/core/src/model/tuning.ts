import type { Adaptation } from './wire/wire-format.js';

/** The efforts that can be asked of a model. */
export const efforts = ['low', 'medium', 'high'] as const;

/** The time that a model may think before it answers, by level. */
export type Effort = (typeof efforts)[number];

/** Knobs of a model; what is not set is left to the server. */
export interface Tuning {
  effort?: Effort | undefined;
  /** 0 to 2: how much chance there is in an answer. */
  temperature?: number | undefined;
}

/** Tokens of thought, for models that take a number. */
export const thinkingBudgets: Readonly<Record<Effort, number>> = { low: 2_048, medium: 8_192, high: 24_576 };

/** Sends notes in place of images from now on. */
export function withoutImages(settings: { model: string; capabilities: { images: boolean } }): Adaptation {
  settings.capabilities.images = false;
  return { notice: `${settings.model} does not take images; notes are sent in their place.`, reencode: true };
}

/** Leaves out the knob that a refusal names; null when it names none that is set. */
export function withoutRefused(
  tuning: Tuning,
  { model, message }: { model: string; message: string },
): Adaptation | null {
  if (tuning.effort !== undefined && /reasoning[_. ]?effort|thinking|budget_?tokens/i.test(message)) {
    tuning.effort = undefined;
    return {
      notice: `${model} does not support reasoning effort; it is left out from now on.`,
      reencode: false,
    };
  }
  if (tuning.temperature !== undefined && /temperature/i.test(message)) {
    tuning.temperature = undefined;
    return {
      notice: `${model} does not support a temperature; it is left out from now on.`,
      reencode: false,
    };
  }
  return null;
}
