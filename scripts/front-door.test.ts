import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as core from '@toolwright/core';
import * as frontEnd from '@toolwright/core/front-end';
import { expect, it } from 'vitest';

const { filesBehind, withoutFrontDoor } = await import(new URL('./front-door.mjs', import.meta.url).href);
const packages = join(import.meta.dirname, '../packages');
const doors = {
  index: join(packages, 'core/src/index.ts'),
  frontEnd: join(packages, 'core/src/front-end.ts'),
};

function namesOf(door: string): string[] {
  const lists = readFileSync(door, 'utf8').matchAll(/^export (?:type )?\{([^}]*)\}/gm);
  const items = [...lists].flatMap(([, list]) => list!.split(','));
  return items.map((item) => item.trim().replace(/^type /, '')).filter((name) => name !== '');
}

it('the file of every value in both doors of core is known', () => {
  expect([...filesBehind(doors.index).keys()].sort()).toEqual(Object.keys(core).sort());
  expect([...filesBehind(doors.frontEnd).keys()].sort()).toEqual(Object.keys(frontEnd).sort());
});

it('the door that embedders read has 150 names at most, and no name stands in both doors', () => {
  const names = new Set(namesOf(doors.index));
  expect(names.size).toBeLessThanOrEqual(150);
  expect(namesOf(doors.frontEnd).filter((name) => names.has(name))).toEqual([]);
});

it('every name in the door for our own front ends is used by one of them', () => {
  const sources = ['cli', 'doctor', 'fleet', 'web'].flatMap((name) => {
    const folder = join(packages, name, 'src');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    return files.filter((file) => /(?<!\.test)\.tsx?$/.test(file)).map((file) => join(folder, file));
  });
  const imports = /^import (?:type )?\{([^}]*)\} from '@toolwright\/core\/front-end';/gm;
  const used = new Set(
    sources.flatMap((path) =>
      [...readFileSync(path, 'utf8').matchAll(imports)].flatMap(([, list]) => list!.match(/\w+/g)),
    ),
  );
  expect(namesOf(doors.frontEnd).filter((name) => !used.has(name.split(' ').at(-1)!))).toEqual([]);
});

it('imports from both doors become imports of the files behind them, without types', () => {
  const files = new Map([
    ['validateJson', { file: '@toolwright/machine/base/json.js', exported: 'validate' }],
    ['runPrompt', { file: './agent/agent.js', exported: 'runPrompt' }],
  ]);
  const text = [
    "import { join } from 'node:path';",
    "import {\n  runPrompt as run,\n  type Toolbox,\n  validateJson,\n} from '@toolwright/core/front-end';",
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

it('a name that no door has ends the build with a sentence', () => {
  expect(() =>
    withoutFrontDoor("import { nobody } from '@toolwright/core';", { files: new Map(), core: '/core' }),
  ).toThrow('No door of core names the file of nobody.');
});

it('a door that is imported at run time ends the build with a sentence', () => {
  expect(() =>
    withoutFrontDoor("const { textOf } = await import('@toolwright/core');", {
      files: new Map(),
      core: '/core',
    }),
  ).toThrow('A door of core is imported at run time, which loads all of it: import the names at the top.');
});
