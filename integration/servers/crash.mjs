// Ends with an error at the stage that is named: start, initialize, list, call. With a file as second argument, `call`
// crashes only the first time, and each call is counted in that file. With LINGERS something of it stays behind that does
// not listen, and the next one to start notes whether it met it.
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
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

const left = `${counter}.left`;
if (existsSync(left)) {
  let state = 'gone';
  try {
    state = /\) ([A-Z]) /.exec(readFileSync(`/proc/${readFileSync(left, 'utf8')}/stat`, 'utf8'))[1];
  } catch {}
  writeFileSync(`${counter}.met`, state === 'Z' ? 'gone' : state);
}
const linger = () => {
  const { pid } = spawn('sh', ['-c', 'trap "" TERM; sleep 30; :'], { stdio: 'inherit' });
  writeFileSync(left, String(pid));
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
    if (process.env.LINGERS && calls() === 1) linger();
    return calls() === 1 ? crash() : text(`call ${calls()}`);
  },
});
