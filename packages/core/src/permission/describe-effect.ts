import type { Effect, OutsideAccess } from '@toolwright/machine/base/effect.js';
import { foreignText } from '@toolwright/machine/base/sentences/foreign-text.js';

/** Describes an effect in one line; `show` shortens paths. */
export function describeEffect(effect: Effect, show: (path: string) => string = (path) => path): string {
  const named = (path: string): string => foreignText(show(path));
  switch (effect.kind) {
    case 'read':
      return `read ${named(effect.path)}`;
    case 'write':
      return `write ${named(effect.path)}`;
    case 'delete':
      return `delete ${named(effect.path)}`;
    case 'execute':
      return `run ${foreignText(effect.command)}${effect.network ? ' (network)' : ''}${effect.background ? ' (background)' : ''}`;
    case 'outside':
      return describeOutside(effect, named);
    case 'network':
      return `reach ${foreignText(effect.host)}:${effect.port}`;
    case 'mcp':
      return `call ${foreignText(effect.tool)} on MCP server ${foreignText(effect.server)}`;
    case 'memory':
      return `remember in ${named(effect.path)} (${effect.scope})`;
  }
}

function describeOutside(effect: OutsideAccess, show: (path: string) => string): string {
  switch (effect.access) {
    case 'read':
      return `read ${show(effect.path)} outside the workspace`;
    case 'write':
      return `write ${show(effect.path)} outside the workspace`;
    case 'ssh-agent':
      return 'use your ssh agent';
    case 'host':
      return `reach ${foreignText(effect.host)}`;
  }
}

/** The network access of a command, worded for a question: `yes`, `no`, or the hosts. */
export function networkReach(effects: readonly Effect[]): string {
  const isOpen = effects.some(
    (effect) => effect.kind === 'network' || (effect.kind === 'execute' && effect.network),
  );
  const hosts = effects.flatMap((effect) =>
    effect.kind === 'outside' && effect.access === 'host' ? [foreignText(effect.host)] : [],
  );
  return isOpen ? 'yes' : hosts.length > 0 ? `only ${hosts.join(', ')}` : 'no';
}
