import type { Reporter, Verdict } from '../models/model.js';
import type { ReadArguments } from '../models/read-arguments.js';

/** Modules are files of their own, and the environment is not part of the input. */
export function examineJq({ options, operands }: ReadArguments, report: Reporter): Verdict | undefined {
  const fromFile = options.some(({ name }) => name === '-f' || name === '--from-file');
  if (fromFile) report.doubt('`jq -f` runs a filter from a file');
  const filter = fromFile ? undefined : operands[0];
  const files = fromFile ? operands : operands.slice(1);
  if (filter !== undefined && filter.kind !== 'literal')
    report.doubt('`jq` runs a filter known only when it runs');
  const text = filter?.text ?? '';
  if (/\b(import|include|modulemeta|get_search_list)\b/.test(text)) report.doubt('`jq` loads another file');
  if (/\$ENV\b|(^|[^.\w"$])env\b/.test(text)) report.doubt('`jq` prints the environment');
  for (const file of files) if (file.text !== '-') report.read(file);
  return undefined;
}
