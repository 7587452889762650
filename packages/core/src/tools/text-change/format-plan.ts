import { rewriteText } from './replace/rewrite.js';
import { exists, planCreation, planEdits, type TextChangeNeeds, type TextPlan } from './text-plan.js';

/** The plan with its text as the project's formatter writes it: shown, decided on and committed as one change. */
export async function formatPlan(
  plan: TextPlan,
  { host, format }: Pick<TextChangeNeeds, 'host' | 'format'>,
  signal: AbortSignal,
): Promise<TextPlan> {
  if (!format || !plan.planned) return plan;
  const { target } = plan;
  const text = plan.text();
  const formatted = await format(target.realPath, text, signal);
  if (formatted === null || formatted.text === text) return plan;
  const again = exists(target)
    ? await planEdits(host, target, await rewriteText(target.file.decoded, formatted.text))
    : await planCreation(host, target, formatted.text);
  return { ...again, notes: [...plan.notes, `The file was formatted with ${formatted.by}.`] };
}
