import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { type ServeMcpOptions, serveMcp } from '@toolwright/core';
import { exitCodes, UsageError } from '../../base/exit-codes.js';
import { abortOnInterrupt } from '../../base/interrupts.js';
import { warn } from '../../base/print.js';
import { isStdinTerminal, pipeClosed } from '../../base/read-stdin.js';
import { takeStandardOutput } from '../../base/take-output.js';
import { type Arguments, refuseFurther } from '../../command-line/args.js';
import { type Flag, permissionFlags } from '../../command-line/flags.js';
import { withToolbox } from '../../setup/runtime.js';
import { defineCommand } from '../command.js';
import { watchSettings } from './watch-settings.js';

const flags: readonly Flag[] = [
  {
    name: 'http',
    value: 'PORT',
    optional: true,
    help: 'Serve streamable HTTP on this machine only, at this port or any free one, instead of standard input and output.',
  },
  {
    name: 'token-file',
    value: 'FILE',
    help: 'With --http: the token clients must send; default: $TOOLWRIGHT_MCP_TOKEN, or else a new one, which is printed.',
  },
  ...permissionFlags,
];

/** Offers the tools to another agent: one that started us, or whoever has the token. */
export const serve = defineCommand({
  usage: `  toolwright mcp serve                 for an agent that starts it and speaks on standard input and output
  toolwright mcp serve --http [PORT]   for agents on this machine that have the token`,
  flags,
  run: serveTools,
});

async function serveTools(args: Arguments): Promise<number> {
  refuseFurther(args.words, 'mcp serve');
  if (!args.values.has('http') && args.values.has('token-file'))
    throw new UsageError('--token-file belongs to --http.');
  const signal = abortOnInterrupt();
  // Taken before anything of a tool could be printed among the messages.
  const over = args.values.has('http') ? overHttp(args) : overStdio();
  const front = { front: 'mcp serve', mayAsk: false, forModel: true };
  return withToolbox(args, front, async (toolbox, setup) => {
    const ended = new AbortController();
    if (over.kind === 'http') void pipeClosed().then(() => ended.abort());
    const serving = AbortSignal.any([signal, ended.signal]);
    const watching = watchSettings(setup, { args, toolbox, say: warn, signal: serving });
    try {
      await serveMcp(toolbox, { over, signal: serving });
    } finally {
      ended.abort();
      await watching;
    }
    return exitCodes.done;
  });
}

function overStdio(): ServeMcpOptions['over'] {
  if (isStdinTerminal())
    warn(
      'Waiting for an MCP client on standard input. An MCP client usually starts this command; Ctrl+C ends it.',
    );
  return { kind: 'stdio', input: process.stdin, output: takeStandardOutput() };
}

function overHttp({ values }: Arguments): ServeMcpOptions['over'] {
  const port = portOf(values.get('http') ?? '');
  const file = values.get('token-file');
  const given = process.env['TOOLWRIGHT_MCP_TOKEN'];
  const isNew = file === undefined && !given;
  const made = randomBytes(32).toString('base64url');
  return {
    kind: 'http',
    port,
    token: file === undefined ? given || made : { file: resolve(file) },
    onListening(url) {
      warn(`Listening on ${url}`);
      if (isNew) warn(`Clients must send this header: Authorization: Bearer ${made}`);
    },
  };
}

function portOf(text: string): number {
  const port = text === '' ? 0 : Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new UsageError(`--http ${text}: write a port, or nothing for any that is free.`);
  return port;
}
