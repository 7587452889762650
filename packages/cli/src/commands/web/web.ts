import { resolve } from 'node:path';
import { messageOf, readRegularFile } from '@toolwright/core/front-end';
import { pageFolder, type ServeWebOptions, serveWeb } from '@toolwright/web';
import { exitCodes, UsageError } from '../../base/exit-codes.js';
import { abortOnInterrupt } from '../../base/interrupts.js';
import { print, warn } from '../../base/print.js';
import { type Arguments, refuseFurther } from '../../command-line/args.js';
import { type Flag, permissionFlags } from '../../command-line/flags.js';
import { defineCommand } from '../command.js';
import { engineFlags } from '../fleet/engine-flags.js';
import { webNeeds } from './needs.js';

const flags: readonly Flag[] = [
  { name: 'port', value: 'N', help: 'The port to listen on (default: any that is free).' },
  { name: 'read-only', help: 'Only show: nothing can be answered, prompted, undone or kept from the page.' },
  {
    name: 'host',
    value: 'ADDRESS',
    help: 'Listen on this address instead of 127.0.0.1, for other machines; needs --tls-cert, --tls-key and --password-file.',
  },
  { name: 'tls-cert', value: 'FILE', help: 'With --host: the certificate, PEM.' },
  { name: 'tls-key', value: 'FILE', help: 'With --host: its key, PEM.' },
  {
    name: 'password-file',
    value: 'FILE',
    help: 'With --host: the file with the password that the page asks for.',
  },
  {
    name: 'provider',
    value: 'NAME',
    choices: ['openai', 'openai-responses', 'anthropic', 'gemini', 'offline'],
    help: 'Wire format for conversations of the page.',
  },
  { name: 'model', value: 'NAME', help: 'The model for conversations of the page.' },
  { name: 'base-url', value: 'URL', help: 'Address of the model API.' },
  ...engineFlags,
  ...permissionFlags,
];

/** Serves the page until it is interrupted. */
export const run = defineCommand({
  usage: `  toolwright web                 serve the page on this machine, and print its address
  toolwright web --read-only     only show

The address holds a secret that is new at each start: whoever has it can do what you can do here. Ctrl+C ends it.`,
  flags,
  async run(args) {
    refuseFurther(args.words, 'web');
    const signal = abortOnInterrupt();
    const options: ServeWebOptions = {
      pageFolder: pageFolder(),
      port: portOf(args.values.get('port')),
      readOnly: args.switches.has('read-only'),
      abroad: abroadOf(args),
      signal,
      onListening({ url }) {
        if (options.abroad) warn(whatAbroadMeans(options.abroad.host));
        print(`Toolwright's page: ${url}`);
        warn('Ctrl+C ends it.');
      },
    };
    const needs = await webNeeds(args);
    // A fleet that is named and can't be reached is told before anybody opens the page.
    if (args.values.has('engine')) await (await needs.openFleet())?.close();
    await serveWeb(needs, options).catch((error: unknown) => {
      throw isTaken(error) ? new UsageError(`Port ${options.port} is in use. Choose another --port.`) : error;
    });
    return exitCodes.done;
  },
});

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}

function portOf(text = '0'): number {
  const port = Number(text);
  if (text.trim() === '' || !Number.isInteger(port) || port < 0 || port > 65_535)
    throw new UsageError(`--port ${text}: write a port between 1 and 65535.`);
  return port;
}

const loopback = new Set(['127.0.0.1', 'localhost']);

function abroadOf({ values }: Arguments): ServeWebOptions['abroad'] {
  const host = values.get('host');
  const [certificate, key, password] = ['tls-cert', 'tls-key', 'password-file'].map((name) =>
    values.get(name),
  );
  if (host === undefined || loopback.has(host)) {
    if (certificate ?? key ?? password)
      throw new UsageError('--tls-cert, --tls-key and --password-file belong to --host.');
    return undefined;
  }
  if (!certificate || !key || !password)
    throw new UsageError(
      `--host ${host} lets other machines reach the page, so it needs --tls-cert, --tls-key and --password-file.`,
    );
  if (host === '0.0.0.0' || host === '::')
    throw new UsageError(`--host ${host}: name one address or one name, the one that browsers will use.`);
  const secret = readNamed(password, '--password-file').trim();
  if (secret.length < 12)
    throw new UsageError('The password in --password-file must have at least 12 characters.');
  return {
    host,
    certificate: readNamed(certificate, '--tls-cert'),
    key: readNamed(key, '--tls-key'),
    password: secret,
  };
}

const MOST_BYTES = 1_000_000;

function readNamed(path: string, flag: string): string {
  try {
    return readRegularFile(resolve(path), MOST_BYTES).toString('utf8');
  } catch (error) {
    throw new UsageError(`${flag} can't be read: ${messageOf(error)}`);
  }
}

function whatAbroadMeans(host: string): string {
  return `Whoever reaches ${host} and knows the password can see your sessions and files, answer questions, and let the model run commands as you. --read-only only shows.`;
}
