/** Prints every sentence that the program can show, file by file, so that the wording can be reviewed at a glance: `node scripts/messages.mjs [FOLDER]`. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folders = process.argv[2]
  ? [process.argv[2]]
  : ['packages/cli/src', 'packages/core/src', 'packages/doctor/src'];
/** Quoted text with two words or more that begins like a sentence and holds no code. */
const sentence = /(['"`])((?:[A-Z]|\$\{)(?:(?!\1)[^\\\n]|\\.){8,})\1/g;

for (const folder of folders)
  for (const path of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('.ts') || /\.test\.ts$|\/fixtures\/|^testing\//.test(path)) continue;
    const source = readFileSync(join(root, folder, path), 'utf8').replace(/^\s*(?:\*|\/\/|\/\*).*$/gm, '');
    const found = new Set(
      Array.from(source.matchAll(sentence), ([, , text]) => text).filter((text) => /[a-z] [a-z]/.test(text)),
    );
    if (found.size === 0) continue;
    console.log(`\n${relative(root, join(root, folder, path))}`);
    for (const text of found) console.log(`  ${text}`);
  }
