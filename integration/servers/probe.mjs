import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { objectSchema, serve, text } from './wire.mjs';

/** Tries what it is told, and says how that went. With a path as its argument it ends unless it can write there. */
const [needed] = process.argv.slice(2);
if (needed) writeFileSync(needed, 'x');

const at = (path) => resolve(path.replace(/^~/, homedir()));
const tries = {
  write: ({ path }) => writeFileSync(at(path), 'written') ?? 'written',
  read: ({ path }) => readFileSync(at(path), 'utf8'),
  reach: ({ path }) =>
    new Promise((done, failed) => {
      connect({ port: Number(path), host: '127.0.0.1' }, () => done('reached')).on('error', failed);
    }),
};

serve('probe', {
  'tools/list': () => ({
    tools: Object.keys(tries).map((name) => ({
      name,
      description: name,
      inputSchema: objectSchema({ path: { type: 'string' } }),
    })),
  }),
  'tools/call': async ({ name, arguments: args }) => {
    try {
      return text(await tries[name](args));
    } catch (error) {
      return { ...text(`refused: ${error.message}`), isError: true };
    }
  },
});
