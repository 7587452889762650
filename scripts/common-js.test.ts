import * as esbuild from 'esbuild';
import { describe, expect, it } from 'vitest';

const { toCommonJs } = await import(new URL('./common-js.mjs', import.meta.url).href);

/** Runs the chunks as the program does: each once, on first use. */
async function run(texts: Record<string, string>, first: string): Promise<Record<string, unknown>> {
  const chunks = new Map(Object.entries(texts));
  const made: Map<string, string> = await toCommonJs(esbuild, chunks, new Set(chunks.keys()));
  const modules = new Map<string, { exports: Record<string, unknown> }>();
  const load = (id: string): unknown => {
    if (!id.startsWith('./')) return process.getBuiltinModule(id);
    const known = modules.get(id);
    if (known) return known.exports;
    const module = { exports: {} };
    modules.set(id, module);
    new Function('exports', 'require', 'module', made.get(id.slice(2)) as string)(
      module.exports,
      load,
      module,
    );
    return module.exports;
  };
  return load(`./${first}`) as Record<string, unknown>;
}

describe('chunks as CommonJS', () => {
  it('take what they import into variables', async () => {
    const texts = {
      'a.cjs': `import { two as double } from "./b.cjs";\nvar result = double(4);\nexport {\n  result\n};\n`,
      'b.cjs': `var two = (value) => 2 * value;\nexport {\n  two\n};\n`,
    };
    const chunks: Map<string, string> = await toCommonJs(
      esbuild,
      new Map(Object.entries(texts)),
      new Set(['a.cjs', 'b.cjs']),
    );
    expect(chunks.get('a.cjs')).toBe(
      'const{two:double}=require("./b.cjs");var result=double(4);module.exports={result};\n',
    );
    expect(await run(texts, 'a.cjs')).toEqual({ result: 8 });
  });

  it.each([
    ['assigned', 'count = 5;'],
    ['counted up', 'count++;'],
    ['taken out of an object', '({ count } = { count: 5 });'],
    ['taken out of a list', '[count = 1] = [5];'],
    ['the variable of a loop', 'for (count of [5]);'],
  ])('show the value of now of a name that is %s later', async (_, change) => {
    const counter = `var count = 4;\nfunction set() { ${change} }\nexport {\n  count,\n  set\n};\n`;
    const texts = {
      'a.cjs': `import { count as seen, set } from "./b.cjs";\nset();\nvar result = seen;\nexport { result };\n`,
      'b.cjs': counter,
    };
    expect(await run(texts, 'a.cjs')).toEqual({ result: 5 });
  });

  it('may pass on what they import, and import another for its effects alone', async () => {
    const texts = {
      'a.cjs': `import { two } from "./b.cjs";\nimport "./c.cjs";\nexport { two as second };\n`,
      'b.cjs': `var two = 2;\nexport { two };\n`,
      'c.cjs': `globalThis.chunkRan = true;\n`,
    };
    expect(await run(texts, 'a.cjs')).toEqual({ second: 2 });
    expect(Reflect.get(globalThis, 'chunkRan')).toBe(true);
    Reflect.deleteProperty(globalThis, 'chunkRan');
  });

  it('look up what Node loads on first use when they use it', async () => {
    const texts = {
      'a.cjs': `import { join } from "node:path";\nimport { promises } from "node:fs";\nvar read = () => promises;\nexport { join, read };\n`,
    };
    const chunks: Map<string, string> = await toCommonJs(
      esbuild,
      new Map(Object.entries(texts)),
      new Set(['a.cjs']),
    );
    expect(chunks.get('a.cjs')).toContain('read=()=>import_node_fs.promises');
    expect(chunks.get('a.cjs')).toContain('const{join}=require("node:path")');
  });

  it('may import modules of Node, call a variable module, and have a default export', async () => {
    const texts = {
      'a.cjs': `import { name } from "./b.cjs";\nimport path from "node:path";\nimport { join } from "node:path";\nvar result = [join(name, "x"), path.sep];\nexport { result };\n`,
      'b.cjs': `import { two } from "./c.cjs";\nvar module = "b";\nvar name = module + two;\nexport { name };\n`,
      'c.cjs': `var two = 2;\nexport default two;\nexport { two };\n`,
    };
    expect(await run(texts, 'a.cjs')).toEqual({ result: ['b2/x', '/'] });
  });
});
