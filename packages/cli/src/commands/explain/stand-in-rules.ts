import { isJsonObject, type RuleText } from '@toolwright/core';

const verdicts = ['deny', 'ask', 'allow'] as const;

/** Reads the rules of a `permissions` object, or says what is wrong with it. `where` names it to the user. */
export function standInRules(permissions: unknown, where: string): RuleText[] | { problem: string } {
  if (!isJsonObject(permissions))
    return { problem: 'permissions must be an object with the lists allow, ask and deny.' };
  const unknown = Object.keys(permissions).find((name) => !(verdicts as readonly string[]).includes(name));
  if (unknown !== undefined)
    return { problem: `permissions has no ${JSON.stringify(unknown)}; its lists are allow, ask and deny.` };
  const rules: RuleText[] = [];
  for (const verdict of verdicts) {
    const list = permissions[verdict] ?? [];
    if (!Array.isArray(list) || !list.every((rule) => typeof rule === 'string'))
      return { problem: `permissions.${verdict} must be a list of rules, each a string.` };
    list.forEach((text: string, index) => {
      rules.push({ verdict, text, source: `${where}: permissions.${verdict}[${index}]` });
    });
  }
  return rules;
}
