import { didYouMean, nearest } from '@toolwright/machine/base/nearest.js';

export const ruleVerbs = ['Shell', 'Read', 'Edit', 'Fetch', 'Mcp', 'Outside'] as const;

/** Describes what is wrong with a rule as written (`Verb(pattern)` or the name of a tool); null for a valid one. */
export function ruleProblem(text: string): string | null {
  const [, verb, pattern] = /^([A-Za-z]+)\((.*)\)$/s.exec(text) ?? [];
  if (verb === undefined || pattern === undefined) {
    const isToolName = /^[A-Za-z0-9_-]{1,64}$/.test(text) && !(ruleVerbs as readonly string[]).includes(text);
    return isToolName
      ? null
      : `${JSON.stringify(text)} is not a rule. Write Verb(pattern), such as Edit(src/**), or the name of a tool.`;
  }
  if (!(ruleVerbs as readonly string[]).includes(verb)) {
    const hint = [
      didYouMean(nearest(verb, ruleVerbs, 1)),
      `Verbs are ${ruleVerbs.join(', ')}, with capital letters as shown.`,
    ];
    return `unknown verb ${verb} in the rule ${JSON.stringify(text)}. ${hint.join(' ').trim()}`;
  }
  return pattern.trim() === '' ? `the rule ${JSON.stringify(text)} has an empty pattern.` : null;
}
