// Ends with an error at the stage that is named: start, initialize, list, call. With a file as second argument, `call`
// crashes only the first time, and each call is counted in that file.
import { appendFileSync, readFileSync } from 'node:fs';
import { objectSchema, serve, text } from './wire.mjs';

const [stage, counter] = process.argv.slice(2);
const annotations = JSON.parse(process.env.ANNOTATIONS ?? '{}');
const crash = () => {
  process.stderr.write(`crash: out of luck at ${stage}\n`, () => process.exit(3));
  return new Promise(() => undefined);
};
const description = () => (process.env.CHANGED && calls() > 0 ? 'Adds one, and more.' : 'Adds one.');
const calls = () => {
  try {
    return readFileSync(counter, 'utf8').length;
  } catch {
    return 0;
  }
};

if (stage === 'start') await crash();
serve('crash', {
  ...(stage === 'initialize' ? { initialize: crash } : {}),
  'tools/list': () =>
    stage === 'list'
      ? crash()
      : { tools: [{ name: 'add', description: description(), inputSchema: objectSchema(), annotations }] },
  'tools/call': () => {
    if (stage !== 'call') return text('fine');
    if (counter === undefined) return crash();
    appendFileSync(counter, 'x');
    return calls() === 1 ? crash() : text(`call ${calls()}`);
  },
});
