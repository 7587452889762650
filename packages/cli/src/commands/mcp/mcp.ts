import type { Flag } from '../../command-line/flags.js';
import { type Command, defineCommandGroup } from '../command.js';
import { confinementFlags } from './confinement-flags.js';

const flags: readonly Flag[] = [
  { name: 'json', help: 'With list and accept: print JSON.' },
  { name: 'check', help: 'With list: start every server and ask for its tools.' },
  { name: 'http', value: 'URL', help: 'With add: the address of a streamable HTTP server.' },
  { name: 'sse', value: 'URL', help: 'With add: the address of a server that uses the older SSE transport.' },
  {
    name: 'env',
    value: 'NAME=VALUE',
    repeated: true,
    help: "With add: a variable for the server; '$NAME' in quotes is looked up with each start.",
  },
  {
    name: 'header',
    value: 'NAME:VALUE',
    repeated: true,
    help: 'With add: an HTTP header to send with every request.',
  },
  ...confinementFlags.map((flag) => ({
    ...flag,
    help: `With add: ${flag.help.charAt(0).toLowerCase()}${flag.help.slice(1)}`,
  })),
  { name: 'project', help: "With add and remove: use this folder's .mcp.json instead of your own settings." },
  { name: 'yes', help: 'With accept: accept without asking, for scripts.' },
];

const group = defineCommandGroup({
  name: 'mcp',
  usage: `  toolwright mcp list [NAME…] [--check] [--json]       the servers, their state, and what their tools cost
  toolwright mcp add NAME [--env K=V] -- COMMAND ARGS  a server that is a program; finds out how tightly it can be confined
  toolwright mcp add NAME URL [--header H]             a server behind an address; finds out its transport
  toolwright mcp remove NAME
  toolwright mcp accept NAME [--yes]                   look at new and changed tools, and turn them on
  toolwright mcp doctor NAME                           examine a server: see mcp doctor --help
  toolwright mcp serve [--http PORT]                   offer these tools to another agent: see mcp serve --help`,
  flags,
  actions: {
    list: async (words, args) => (await import('./list.js')).list(words, args),
    add: async (words, args) => (await import('./add.js')).add(words, args),
    remove: async (words, args) => (await import('./remove.js')).remove(words, args),
    accept: async (words, args) => (await import('./accept.js')).accept(words, args),
    doctor: async (words) => (await import('./doctor.js')).doctor(words),
    serve: async (words) => (await import('./serve.js')).serve(words),
  },
});

/** `doctor` and `serve` have flags of their own. */
export const run: Command = async (words) => {
  if (words[0] === 'doctor') return (await import('./doctor.js')).doctor(words.slice(1));
  if (words[0] === 'serve') return (await import('./serve.js')).serve(words.slice(1));
  return group(words);
};
