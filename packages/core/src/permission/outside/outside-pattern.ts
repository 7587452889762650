import type { Effect } from '@toolwright/machine/base/effect.js';
import { SettingsError } from '@toolwright/machine/base/errors.js';
import { didYouMean, nearest } from '@toolwright/machine/base/nearest.js';
import { hostMatcher } from '@toolwright/machine/base/patterns/host-pattern.js';
import { isInside } from '@toolwright/machine/host/workspace.js';
import { namedPlace, type PathContext, type PathRule, pathMatcher } from '../path-pattern.js';

interface OutsideRule {
  pattern: string;
  verdict: 'allow' | 'ask' | 'deny';
  source: string;
}

const KINDS = ['read', 'write', 'ssh-agent', 'host'];

/** `read PATH`, `write PATH`, `ssh-agent` or `host HOST`: what a command may reach beyond its sandbox. */
export function outsideMatcher(rule: OutsideRule, context: PathContext): (effect: Effect) => boolean {
  const { verdict, source } = rule;
  const [kind = '', ...words] = rule.pattern.trim().split(/\s+/);
  const named = rule.pattern.trim().slice(kind.length).trim();
  const mistake = (problem: string): SettingsError =>
    new SettingsError(`${source}: the rule ${JSON.stringify(`Outside(${rule.pattern})`)} ${problem}`);
  if (!KINDS.includes(kind)) {
    const forms = 'Write Outside(read PATH), Outside(write PATH), Outside(ssh-agent) or Outside(host HOST).';
    const hint = `${didYouMean(nearest(kind, KINDS, 1))} ${forms}`.trimStart();
    throw mistake(`begins with ${JSON.stringify(kind)}. ${hint}`);
  }
  if (kind === 'ssh-agent') {
    if (words.length > 0) throw mistake('names something after ssh-agent. Write Outside(ssh-agent).');
    return (effect) => effect.kind === 'outside' && effect.access === 'ssh-agent';
  }
  if (named === '') throw mistake(`names no ${kind === 'host' ? 'host' : 'path'} after ${kind}.`);
  const narrows = verdict !== 'allow';
  if (kind === 'host') {
    const matches = hostMatcher({ pattern: named, narrows, source }, `Outside(host ${named})`);
    return (effect) => reachesHost(effect, matches, narrows);
  }
  if (!/^(?:\/|~(?:\/|$))/.test(named))
    throw mistake('names a path in the workspace. Write the whole path, or one that begins with ~/.');
  const matches = pathMatcher({ pattern: named, narrows, source }, context);
  // A writable place may be read, so a rule that allows writing allows both, and one that denies reading denies both.
  const isBoth = (kind === 'write') === (verdict === 'allow');
  const holds = narrows ? mayHold({ pattern: named, narrows, source }, context) : () => false;
  return (effect) =>
    effect.kind === 'outside' &&
    (effect.access === kind || (isBoth && (effect.access === 'read' || effect.access === 'write'))) &&
    'path' in effect &&
    (matches(effect.path) || (effect.folder === true && holds(effect.path)));
}

/** Tests whether a place that the rule names may lie in a folder: a folder is let through or refused as a whole. */
export function mayHold(rule: PathRule, context: PathContext): (folder: string) => boolean {
  const { path, whole } = namedPlace(rule, context);
  const places = [path, context.realPath?.(path) ?? path];
  return (folder) => places.some((place) => isInside(place, folder) || (!whole && isInside(folder, place)));
}

/** Without a port these are meant: of ssh and of the web. */
const outsidePorts: readonly number[] = [22, 80, 443];

type HostMatcher = (host: string, port: number) => boolean;

/** Tests a rule against the host of an effect: a rule that allows must match every port, any other rule at least one. */
export function reachesHost(effect: Effect, matches: HostMatcher, narrows: boolean): boolean {
  if (effect.kind !== 'outside' || effect.access !== 'host') return false;
  const { host, port } = hostAndPort(effect.host);
  if (narrows) return (port === undefined ? outsidePorts : [port]).some((each) => matches(host, each));
  // A rule without a port means those of the web for fetching, and that of ssh too for commands.
  const isForAll = matches(host, 80) && matches(host, 443);
  return port === undefined ? isForAll : matches(host, port) || (isForAll && outsidePorts.includes(port));
}

function hostAndPort(written: string): { host: string; port: number | undefined } {
  const [, host = '', port] = /^(.*?)(?::(\d+))?$/.exec(written) ?? [];
  return { host, port: port === undefined ? undefined : Number(port) };
}
