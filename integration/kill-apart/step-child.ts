import { writeSync } from 'node:fs';
import { dieAt, survived } from './die-at.js';
import { openApartAt, run } from './start.js';

/** Works apart, then keeps the work and is killed at the chosen step of that. */
const [base = '', fatal = '1', work = ''] = process.argv.slice(2);
const { signal } = new AbortController();
const toolbox = await openApartAt(base, '');
await run(toolbox, work);
const { review } = await toolbox.apart.review(signal);
writeSync(1, `apart ${toolbox.apart.id}\n`);
dieAt(Number(fatal));
const { conflicts } = await toolbox.apart.keep({ digest: review.digest, choice: 'all' }, signal);
const steps = survived();
if (conflicts.length > 0) throw new Error(JSON.stringify(conflicts));
writeSync(1, `kept in ${steps}\n`);
await toolbox.close();
