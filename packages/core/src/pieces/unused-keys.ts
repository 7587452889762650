import { type FrontMatter, textOfField } from './front-matter.js';

/** A key of a front matter that other agents know, and that changes nothing here. */
export interface UnusedKey {
  what: string;
  why: string;
}

const inHooksFile = 'hooks stand in a file of their own, hooks/hooks.json';
const ofSession = 'the model is the one of the conversation';

const reasons: Readonly<Record<'skill' | 'command', Readonly<Record<string, string>>>> = {
  skill: {
    hooks: inHooksFile,
    context: 'what a skill says is done in the conversation, by whoever loads it',
    agent: 'what a skill says is done in the conversation, by whoever loads it',
    model: ofSession,
    effort: ofSession,
    paths: 'a skill is loaded when its description fits',
  },
  command: {
    hooks: inHooksFile,
    context: 'a command is a prompt of the conversation',
    agent: 'a command is a prompt of the conversation',
    model: ofSession,
    effort: ofSession,
  },
};

export function unusedKeys(
  kind: 'skill' | 'command',
  { fields }: Pick<FrontMatter, 'fields'>,
): UnusedKey[] | undefined {
  const found = Object.entries(reasons[kind]).filter(
    ([key]) => Object.hasOwn(fields, key) && textOfField(fields[key] ?? '') !== '',
  );
  return found.length === 0 ? undefined : found.map(([key, why]) => ({ what: key, why }));
}
