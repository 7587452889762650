import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled, root } from './setup.mjs';

ensureInstalled();
await ensureBuilt();
process.argv[1] = join(root, 'packages/cli/bin/toolwright.cjs');
createRequire(import.meta.url)(process.argv[1]);
