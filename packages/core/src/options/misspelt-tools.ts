import { didYouMean } from '@toolwright/machine/base/nearest.js';
import type { ToolRegistry } from '../tools/tool-registry.js';
import type { ToolboxOptions } from './toolbox-options.js';

/**
 * Sentences about names that no tool has, but almost: such a rule forbids nothing, and such a name leaves nothing out.
 * Other names may be of tools that come later.
 */
export function remarksOnToolNames(
  { rules = [], excludeTools = [] }: Pick<ToolboxOptions, 'rules' | 'excludeTools'>,
  registry: Pick<ToolRegistry, 'misspelt'>,
): string[] {
  const remark = (name: string, before: string): string[] => {
    const near = registry.misspelt(name);
    return near.length === 0 ? [] : [`${before}, but there is no tool of that name. ${didYouMean(near)}`];
  };
  return [
    ...rules.flatMap(({ text, source }) =>
      text.includes('(') ? [] : remark(text, `${source}: the rule names the tool ${JSON.stringify(text)}`),
    ),
    ...excludeTools.flatMap((name) => remark(name, `The tool ${JSON.stringify(name)} is to be left out`)),
  ];
}
