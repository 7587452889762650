import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageLists } from './messages/lists.mjs';
import { root } from './setup.mjs';

/** Writes anew what each package can say, into its messages.txt. */
for (const [path, list] of messageLists()) {
  writeFileSync(join(root, path), list);
  process.stdout.write(`${path}: ${list.match(/^ {2}/gm).length} sentences\n`);
}
