import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openEditing } from '../../packages/core/src/tools/text-change/fixtures/shared-folder.js';

/** Changes its own line of a file that others change at the same moment; prints what came of it. */
const [base = '', line = ''] = process.argv.slice(2);
const { tool } = openEditing(join(base, 'workspace'), join(base, 'state'));
const { signal } = new AbortController();
const params = { file_path: 'list.txt', old_string: `${line}: before`, new_string: `${line}: after` };
// As for a question: the plan is made before the others begin.
await tool.shouldConfirmExecute(params, signal);
writeFileSync(join(base, `ready-${line}`), '');
while (!existsSync(join(base, 'go'))) await new Promise((resolve) => setTimeout(resolve, 1));
const { error } = await tool.execute(params, signal);
process.stdout.write(error ? `${error.code}: ${error.message}` : 'edited');
