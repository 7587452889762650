import { readChunk } from './read-chunk.mjs';

/**
 * The chunks that every start runs, joined to one scope per group: what they import from each other are then variables,
 * where each chunk apart makes an object of its exports, and each importer reads them out of it. Each group is closed under
 * imports but for those of the groups before it. Gives the chunks as they are then, each group under a name of its
 * own, and the stubs that stand for the members where others import them.
 */
export async function joinChunks(esbuild, chunks, groups) {
  const joined = new Map(chunks);
  const stubs = new Map();
  for (const [name, members] of groups) {
    joined.set(name, await joinGroup(esbuild, chunks, members));
    for (const member of members) {
      joined.delete(member);
      stubs.set(member, `module.exports=require("./${name}").chunks[${JSON.stringify(member)}]();\n`);
    }
  }
  return { joined, stubs };
}

async function joinGroup(esbuild, chunks, members) {
  const { outputFiles } = await esbuild.build({
    stdin: { contents: entryOf(members, chunks), loader: 'js' },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    legalComments: 'none',
    logLevel: 'warning',
    plugins: [onlyOf(members, chunks)],
  });
  return outputFiles[0].text;
}

/** Imports nothing but the members; whatever else they import, or import when it is needed, stays an import. */
function onlyOf(members, chunks) {
  return {
    name: 'only of the group',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /./ }, ({ path, kind }) => {
        const name = path.replace('./', '');
        return kind === 'import-statement' && members.has(name)
          ? { path: name, namespace: 'member' }
          : { path, external: true };
      });
      onLoad({ filter: /./, namespace: 'member' }, ({ path }) => ({ contents: chunks.get(path) }));
    },
  };
}

/** Runs the members in the order in which they would run apart; the exports of each are made into an object on demand. */
function entryOf(members, chunks) {
  const imports = [];
  const objects = [];
  for (const [index, member] of [...members].entries()) {
    const { names, changing } = readChunk(chunks.get(member));
    const local = (name) => `m${index}_${name}`;
    imports.push(
      `import { ${names.map((name) => `${name} as ${local(name)}`).join(', ')} } from './${member}';`,
    );
    const properties = names.map((name) =>
      changing.has(name) ? `get ${name}() { return ${local(name)}; }` : `${name}: ${local(name)}`,
    );
    objects.push(`${JSON.stringify(member)}: () => ({ ${properties.join(', ')} })`);
  }
  return `${imports.join('\n')}\nexport const chunks = { ${objects.join(',\n')} };\n`;
}
