import { relative } from 'node:path';
import type { Effect } from '@toolwright/machine/base/effect.js';
import { foreignName } from '@toolwright/machine/base/sentences/foreign-text.js';
import { isInside } from '@toolwright/machine/host/workspace.js';

/** `~/…` for what lies in the home. A slash at the end stays. */
export function inHome(path: string, home: string): string {
  const isFolder = path.endsWith('/') && path !== '/';
  if (home === '/' || !isInside(path, home)) return path;
  const inside = relative(home, path);
  return `~${inside === '' ? '' : `/${inside}`}${isFolder ? '/' : ''}`;
}

/** The path as it stands in a sentence. */
export function shownInHome(path: string, home: string): string {
  return foreignName(inHome(path, home));
}

/** Warnings in the question, one for each thing outside that a command is to reach. */
export function outsideWarnings(effects: readonly Effect[], home: string): string[] {
  return effects.filter((effect) => effect.kind === 'outside').map((effect) => outsideWarning(effect, home));
}

function outsideWarning(effect: Effect & { kind: 'outside' }, home: string): string {
  const note = effect.note === undefined ? '' : ` (${effect.note})`;
  switch (effect.access) {
    case 'read':
      return `Outside the workspace it may read ${shownInHome(effect.path, home)}${note}.`;
    case 'write':
      return `Outside the workspace it may write ${shownInHome(effect.path, home)}${note}. That can't be undone.`;
    case 'ssh-agent':
      return 'It may use your ssh agent: while it runs it can sign in as you wherever your keys are accepted.';
    case 'host':
      return `It may reach ${effect.host}${/:\d+$/.test(effect.host) ? '' : ' by the ports 22, 80 and 443'}${note}.`;
  }
}
