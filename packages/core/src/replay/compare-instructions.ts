import type { FunctionDeclaration } from '@toolwright/machine/base/content.js';
import { canonical } from '@toolwright/machine/base/json.js';
import type { ModelRequest } from '../model/model.js';
import type { Recording } from '../recording/recording.js';
import { textDiff } from './compare-results.js';
import type { OtherInstructions } from './report.js';

/** What the model is told otherwise than in the recording: the system prompt, and each tool. */
export async function otherInstructions(
  { requests }: Pick<Recording, 'requests'>,
  now: ModelRequest | null,
): Promise<OtherInstructions[]> {
  const [then] = requests;
  if (!then || !now) return [];
  const texts: [string, string, string][] = [['system', then.system, now.system].map(withoutDate) as never];
  const tools = (list: readonly FunctionDeclaration[]) =>
    new Map(list.map((tool) => [tool.name ?? '', JSON.stringify(canonical(tool), null, 1)]));
  const [before, after] = [tools(then.tools), tools(now.tools)];
  for (const name of new Set([...before.keys(), ...after.keys()]))
    texts.push([name, before.get(name) ?? '', after.get(name) ?? '']);
  const differences: OtherInstructions[] = [];
  for (const [what, earlier, present] of texts)
    if (earlier !== present)
      differences.push({ kind: 'instructions', what, diff: await textDiff(earlier, present) });
  return differences;
}

function withoutDate(text: string): string {
  return text.replace(/\b\d{4}-\d\d-\d\d\b/g, '<date>');
}
