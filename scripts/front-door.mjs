import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './setup.mjs';

/** The doors of core, each of which lists its names: for everybody, and for our own front ends. */
const doors = ['index.ts', 'front-end.ts'];

/**
 * A plugin of esbuild: an import of one name from a door of core becomes an import of the file behind it. esbuild
 * would load all that stands in the door wherever one name of it is imported.
 */
export const behindFrontDoor = {
  name: 'behind the front door',
  setup({ onLoad }) {
    const core = join(root, 'packages/core/src');
    const files = new Map(doors.flatMap((door) => [...filesBehind(join(core, door))]));
    onLoad({ filter: /\/packages\/(cli|doctor|fleet|web)\/src\/.*\.tsx?$/ }, ({ path }) => ({
      contents: withoutFrontDoor(readFileSync(path, 'utf8'), { files, core }),
      loader: path.endsWith('x') ? 'tsx' : 'ts',
    }));
  },
};

/** The file and the name there of each value that a front door exports. */
export function filesBehind(frontDoor) {
  const statements = readFileSync(frontDoor, 'utf8').matchAll(/^export \{([^}]*)\} from '([^']+)';/gm);
  const names = [...statements].flatMap(([, items, file]) =>
    valuesIn(items).map(([exported, name]) => [name, { file, exported }]),
  );
  return new Map(names);
}

export function withoutFrontDoor(text, { files, core }) {
  if (/\bimport\('@toolwright\/core(\/front-end)?'\)/.test(text))
    throw new Error(
      'A door of core is imported at run time, which loads all of it: import the names at the top.',
    );
  const importOf = ([name, local]) => {
    const behind = files.get(name);
    if (!behind) throw new Error(`No door of core names the file of ${name}.`);
    const from = behind.file.startsWith('.') ? join(core, behind.file) : behind.file;
    return `import { ${behind.exported} as ${local} } from ${JSON.stringify(from)};`;
  };
  return text.replace(/^import \{([^}]*)\} from '@toolwright\/core(?:\/front-end)?';/gm, (_, items) =>
    valuesIn(items).map(importOf).join(' '),
  );
}

/** The name there and the name here of each item of an import or export, types left out. */
function valuesIn(items) {
  return items
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '' && !item.startsWith('type '))
    .map((item) => item.split(' as '))
    .map(([there, here = there]) => [there, here]);
}
