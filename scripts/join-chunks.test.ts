import * as esbuild from 'esbuild';
import { expect, it } from 'vitest';

const { toCommonJs } = await import(new URL('./common-js.mjs', import.meta.url).href);

/** The chunks as the program runs them, with those of the groups joined, and what was run in which order. */
async function program(texts: Record<string, string>, groups: Record<string, string[]>) {
  const sets = new Map(Object.entries(groups).map(([name, members]) => [name, new Set(members)]));
  const chunks: Map<string, string> = await toCommonJs(
    esbuild,
    new Map(Object.entries(texts)),
    new Set(Object.keys(texts)),
    sets,
  );
  const modules = new Map<string, { exports: Record<string, unknown> }>();
  const ran: string[] = [];
  const load = (id: string): Record<string, unknown> => {
    if (!id.startsWith('./')) return { ...process.getBuiltinModule(id) };
    const known = modules.get(id);
    if (known) return known.exports;
    const module = { exports: {} };
    modules.set(id, module);
    const run = new Function('exports', 'require', 'module', 'ran', chunks.get(id.slice(2)) as string);
    run(module.exports, load, module, ran);
    return module.exports;
  };
  return { chunks, load, ran };
}

const texts = {
  'main.cjs': `import { two, twice } from "./two.cjs";\nran.push("main");\nvar result = twice(two);\nvar later = () => import("./later.cjs");\nexport { result, later };\n`,
  'two.cjs': `var inner = 2;\nran.push("two");\nvar two = inner;\nvar calls = 0;\nfunction twice(value) { calls++; return 2 * value; }\nexport { two, twice, calls };\n`,
  'apart.cjs': `import { two } from "./two.cjs";\nimport { calls } from "./two.cjs";\nran.push("apart");\nvar inner = 3;\nvar sum = () => inner + two + calls;\nexport { sum };\n`,
  'later.cjs': `import { inner } from "./own.cjs";\nran.push("later");\nvar seen = inner;\nexport { seen };\n`,
  'own.cjs': `ran.push("own");\nvar inner = "own";\nexport { inner };\n`,
};
const groups = { 'first.cjs': ['two.cjs', 'main.cjs'], 'second.cjs': ['own.cjs', 'later.cjs'] };

it('chunks of a group share one scope, and each name keeps its own value', async () => {
  const { chunks, load, ran } = await program(texts, groups);
  expect(chunks.get('first.cjs')).not.toContain('require("./two.cjs")');
  expect(load('./main.cjs')).toMatchObject({ result: 4 });
  expect(ran).toEqual(['two', 'main']);
});

it('a chunk that stands apart imports what a group has, also a name that gets another value', async () => {
  const { load } = await program(texts, groups);
  const { sum } = load('./apart.cjs') as { sum(): number };
  expect(sum()).toBe(6);
  const { twice } = load('./two.cjs') as { twice(value: number): number };
  twice(1);
  expect(sum()).toBe(7);
});

it('what a group imports when it is needed runs then, as one of another group', async () => {
  const { load, ran } = await program(texts, groups);
  const { later } = load('./main.cjs') as { later(): Promise<unknown> };
  expect(ran).toEqual(['two', 'main']);
  expect(await later()).toMatchObject({ seen: 'own' });
  expect(ran).toEqual(['two', 'main', 'own', 'later']);
});

it('a group may have a default export and import modules of Node', async () => {
  const { load } = await program(
    {
      'main.cjs': `import value from "./value.cjs";\nimport { join } from "node:path";\nvar path = join("a", value);\nexport { path };\n`,
      'value.cjs': `var value_default = "b";\nexport default value_default;\n`,
    },
    { 'all.cjs': ['value.cjs', 'main.cjs'] },
  );
  expect((load('./value.cjs') as { default: string }).default).toBe('b');
});
