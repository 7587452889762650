import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openEditing } from '../../packages/core/src/tools/text-change/fixtures/shared-folder.js';

/** Changes its own line of a file that others change at the same moment; prints what came of it. */
const [base = '', line = ''] = process.argv.slice(2);
const { tool } = openEditing(join(base, 'workspace'), join(base, 'state'));
const { signal } = new AbortController();
const params = { file_path: 'list.txt', old_string: `${line}: before`, new_string: `${line}: after` };
// As for a question: the plan is made before the others begin.
await tool.shouldConfirmExecute(params, signal);
writeFileSync(join(base, `ready-${line}`), '');
const go = join(base, 'go');
while (!existsSync(go)) await sleep(20);
await sleep(Number(readFileSync(go, 'utf8')) - Date.now());
const { error } = await tool.execute(params, signal);
process.stdout.write(error ? `${error.code}: ${error.message}` : 'edited');
