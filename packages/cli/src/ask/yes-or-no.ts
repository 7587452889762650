import { type YesNo, yesNoQuestion } from '../app/yes-no.js';
import type { Front } from '../ui/front.js';

/** Everything but a yes is a no. */
export async function askYesOrNo(question: YesNo, ask: Front['ask'], signal: AbortSignal): Promise<boolean> {
  return (await ask(yesNoQuestion(question), signal))?.key === 'y';
}
