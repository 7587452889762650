import { UsageError } from '../../base/exit-codes.js';
import type { Arguments } from '../../command-line/args.js';

/** The variables of `--env`; undefined when there are none. */
export function variablesIn(lists: Arguments['lists']): Record<string, string> | undefined {
  return pairs(lists.get('env'), { separator: '=', usage: '--env NAME=VALUE' });
}

/** The headers of `--header`; undefined when there are none. */
export function headersIn(lists: Arguments['lists']): Record<string, string> | undefined {
  return pairs(lists.get('header'), { separator: ':', usage: '--header "NAME: VALUE"' });
}

function pairs(
  items: readonly string[] | undefined,
  { separator, usage }: { separator: string; usage: string },
): Record<string, string> | undefined {
  if (items === undefined) return undefined;
  return Object.fromEntries(
    items.map((item) => {
      const at = item.indexOf(separator);
      if (at <= 0) throw new UsageError(`${item.slice(0, 60)}: write ${usage}.`);
      const value = item.slice(at + 1);
      return [item.slice(0, at).trim(), separator === ':' ? value.trim() : value];
    }),
  );
}
