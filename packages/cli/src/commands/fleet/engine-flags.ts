import type { Arguments } from '../../command-line/args.js';
import type { Flag } from '../../command-line/flags.js';

/** Flags that say which fleet is meant. */
export const engineFlags: readonly Flag[] = [
  {
    name: 'engine',
    value: 'PLACE',
    help: 'A folder of this machine, or nats://host:port (several with commas) for many machines (default: a folder in the state folder).',
  },
  { name: 'name', value: 'NAME', help: 'Name of the fleet (default: default).' },
  { name: 'creds', value: 'FILE', help: 'A credentials file of NATS.' },
  {
    name: 'tls-ca',
    value: 'FILE',
    help: 'The certificate of the authority that signed those of the NATS servers.',
  },
  {
    name: 'tls-cert',
    value: 'FILE',
    help: 'The certificate by which the NATS servers know this machine, where they want one; with --tls-key.',
  },
  { name: 'tls-key', value: 'FILE', help: 'The key of that certificate.' },
  { name: 'insecure', help: 'Accept NATS servers on other machines without TLS and credentials.' },
];

/** The flags that name this fleet again, for a command that the user is told to type; empty for the default fleet. */
export function sameFleet({ values, switches }: Pick<Arguments, 'values' | 'switches'>): string {
  return engineFlags
    .map(({ name, value }) => {
      if (!value) return switches.has(name) ? ` --${name}` : '';
      const given = values.get(name);
      // An address may hold a password.
      return given === undefined ? '' : ` --${name} ${given.includes('@') ? '…' : asWord(given)}`;
    })
    .join('');
}

function asWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
