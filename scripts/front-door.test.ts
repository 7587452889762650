import { join } from 'node:path';
import * as core from '@toolwright/core';
import { expect, it } from 'vitest';

const { filesBehind, withoutFrontDoor } = await import(new URL('./front-door.mjs', import.meta.url).href);
const frontDoor = join(import.meta.dirname, '../packages/core/src/index.ts');

it('the file of every public value of core is known', () => {
  expect([...filesBehind(frontDoor).keys()].sort()).toEqual(Object.keys(core).sort());
});

it('imports from the front door become imports of the files behind it, without types', () => {
  const files = new Map([
    ['validateJson', { file: '@toolwright/machine/base/json.js', exported: 'validate' }],
    ['runPrompt', { file: './agent/agent.js', exported: 'runPrompt' }],
  ]);
  const text = [
    "import { join } from 'node:path';",
    "import {\n  runPrompt as run,\n  type Toolbox,\n  validateJson,\n} from '@toolwright/core';",
    "import type { Agent } from '@toolwright/core';",
    'const sample = "import { join } from \'@toolwright/core\'";',
  ].join('\n');
  expect(withoutFrontDoor(text, { files, core: '/core' }).split('\n')).toEqual([
    "import { join } from 'node:path';",
    'import { runPrompt as run } from "/core/agent/agent.js"; import { validate as validateJson } from "@toolwright/machine/base/json.js";',
    "import type { Agent } from '@toolwright/core';",
    'const sample = "import { join } from \'@toolwright/core\'";',
  ]);
});

it('a name that the front door does not have ends the build with a sentence', () => {
  expect(() =>
    withoutFrontDoor("import { nobody } from '@toolwright/core';", { files: new Map(), core: '/core' }),
  ).toThrow('The front door of core does not name the file of nobody.');
});
