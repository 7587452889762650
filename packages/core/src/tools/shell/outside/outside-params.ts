import { didYouMean, nearest } from '@toolwright/machine/base/nearest.js';

/** Wishes of a call beyond the sandbox. Paths are absolute or begin with `~/`. */
export type OutsideParams = {
  read?: readonly string[];
  write?: readonly string[];
  sshAgent?: boolean;
  hosts?: readonly string[];
};

const texts = { type: 'array', items: { type: 'string' } } as const;
const MOST = 16;

export const outsideSchema = {
  type: 'object',
  description:
    'What it needs beyond that: paths (whole, or from ~/) to read or write, hosts, the ssh agent. The user is asked.',
  properties: { read: texts, write: texts, sshAgent: { type: 'boolean' }, hosts: texts },
} as const;

const NAMES = Object.keys(outsideSchema.properties);

/** A mistake in the parameter, as a sentence, or null. */
export function outsideProblem(outside: OutsideParams | undefined): string | null {
  const { read = [], write = [], hosts = [] } = outside ?? {};
  if (Math.max(read.length, write.length, hosts.length) > MOST)
    return `outside takes at most ${MOST} of each.`;
  const unknown = Object.keys(outside ?? {}).find((name) => !NAMES.includes(name));
  if (unknown === undefined) return null;
  const hint = `${didYouMean(nearest(unknown, NAMES, 1))} It takes ${NAMES.join(', ')}.`.trimStart();
  return `outside has no ${JSON.stringify(unknown.slice(0, 60))}. ${hint}`;
}
