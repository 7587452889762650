import { UsageError } from '../../base/exit-codes.js';
import type { Arguments } from '../../command-line/args.js';
import type { Flag } from '../../command-line/flags.js';

/** Confinement of a server, as in the settings. */
export interface Confinement {
  sandbox?: 'read' | 'write' | 'off';
  network?: boolean;
}

export const confinementFlags: readonly Flag[] = [
  {
    name: 'sandbox',
    value: 'read|write|off',
    help: 'How to confine a program: it may read the workspace, change it too, or run unconfined.',
  },
  { name: 'network', value: 'on|off', help: 'Let a confined program use the network, or not.' },
];

/** The flags about one server, and the others: `--sandbox` means commands elsewhere. */
export function takeConfinement(args: Arguments): { confinement: Confinement; args: Arguments } {
  const { sandbox, network, ...rest } = Object.fromEntries(args.values);
  if (sandbox !== undefined && sandbox !== 'read' && sandbox !== 'write' && sandbox !== 'off')
    throw new UsageError(`--sandbox ${sandbox}: write read, write or off.`);
  if (network !== undefined && network !== 'on' && network !== 'off')
    throw new UsageError(`--network ${network}: write on or off.`);
  return {
    confinement: {
      sandbox,
      network: network === undefined ? undefined : network === 'on',
    },
    args: { ...args, values: new Map(Object.entries(rest)) },
  };
}
