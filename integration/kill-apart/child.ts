import { writeSync } from 'node:fs';
import { randomFrom } from '../kill-commit/start.js';
import { generation } from '../kill-staged/generations.js';
import { openApartAt, run } from './start.js';

/** Works apart until it is killed: runs commands in the view and keeps what they did, and prints each step with its answer. */
const [base = '', seed = '1', id = '', first = '0'] = process.argv.slice(2);
const random = randomFrom(Number(seed));
const { signal } = new AbortController();
const toolbox = await openApartAt(base, id);
writeSync(1, `apart ${toolbox.apart.id}\n`);
for (let number = Number(first); ; number++) {
  writeSync(1, `run ${number}\n`);
  await run(toolbox, generation(number));
  writeSync(1, `ran ${number}\n`);
  if (random() < 0.5) continue;
  const { review } = await toolbox.apart.review(signal);
  writeSync(1, `keep ${number}\n`);
  const { conflicts } = await toolbox.apart.keep({ digest: review.digest, choice: 'all' }, signal);
  if (conflicts.length > 0) throw new Error(JSON.stringify(conflicts));
  writeSync(1, `kept ${number}\n`);
}
