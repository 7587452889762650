import { joinChunks } from './join-chunks.mjs';
import { readChunk } from './read-chunk.mjs';

/**
 * The chunks that esbuild split, as CommonJS by name. The `linked` ones take what they import into variables: esbuild's
 * own way costs two functions for each exported name and two calls at each use of it, which delayed every start.
 */
export async function toCommonJs(esbuild, chunks, linked, groups = new Map()) {
  const facts = new Map([...linked].map((name) => [name, readChunk(chunks.get(name))]));
  const { joined, stubs } = await joinChunks(esbuild, chunks, groups);
  for (const name of groups.keys()) facts.set(name, readChunk(joined.get(name)));
  const made = new Map(stubs);
  for (const [name, text] of joined) {
    const source = facts.get(name)?.isLinked ? withLinks(text, facts.get(name), facts) : text;
    made.set(name, await transform(esbuild, name, source));
  }
  return made;
}

async function transform(esbuild, name, text) {
  const { code } = await esbuild.transform(text, {
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    minifyWhitespace: true,
    minifySyntax: true,
    supported: { 'dynamic-import': false, 'regexp-unicode-property-escapes': true },
    banner: text.includes('importMetaUrl')
      ? "const importMetaUrl=require('node:url').pathToFileURL(__filename).href;"
      : '',
    sourcefile: name,
  });
  return onlyAscii(withoutCopies(code), name);
}

/** esbuild copies a module's exports at every `import()` of it; a chunk of ours is what its importer expects as it is. */
function withoutCopies(code) {
  return code.replace(/\b__toESM\((require\("\.\/[^"]+"\))\)/g, '$1');
}

/** The loader reads the files byte by byte. esbuild escapes what is in strings, but not in patterns and templates. */
function onlyAscii(code, name) {
  if (/\braw`[^`]*[^\x00-\x7f]/.test(code))
    throw new Error(`${name}: a raw template must be ASCII; write \\u2026 in place of the character`);
  return code.replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Chunks never import each other in a circle, so what is imported has run before it is taken. */
function withLinks(text, { imports, exported, changing }, facts) {
  const replaced = imports.map((node) => ({ node, by: linkTo(node, facts) }));
  const members = exported?.specifiers.map(({ local, exported: { name } }) =>
    changing.has(name) ? `get ${name}() { return ${local.name}; }` : `${name}: ${local.name}`,
  );
  if (exported) replaced.push({ node: exported, by: `module.exports = { ${members.join(', ')} };` });
  return replaced
    .reverse()
    .reduce((done, { node, by }) => done.slice(0, node.start) + by + done.slice(node.end), text);
}

/** Names that may change stay imports, which esbuild looks up at each use. */
function linkTo({ source: { value: from }, specifiers }, facts) {
  const isTaken = ({ imported }) => isConstant(from, imported.name, facts);
  const taken = specifiers.filter(isTaken).map(({ imported, local }) => `${imported.name}: ${local.name}`);
  const looked = specifiers
    .filter((one) => !isTaken(one))
    .map(({ imported, local }) => `${imported.name} as ${local.name}`);
  const links = [];
  if (looked.length > 0) links.push(`import { ${looked.join(', ')} } from '${from}';`);
  if (taken.length > 0) links.push(`const { ${taken.join(', ')} } = require('${from}');`);
  return links.join(' ') || `require('${from}');`;
}

/** Names of modules of Node that load another one when they are looked up. */
const loadedByNode = new Set(['Dir', 'opendir', 'opendirSync', 'parseArgs', 'promises']);

function isConstant(from, name, facts) {
  if (from.startsWith('node:')) return !loadedByNode.has(name);
  const chunk = facts.get(from.replace('./', ''));
  return chunk?.isLinked === true && !chunk.changing.has(name);
}
