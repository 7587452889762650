import { parseSync } from 'oxc-parser';

/**
 * The chunks that esbuild split, as CommonJS by name. The `linked` ones take what they import into variables: esbuild's
 * own way costs two functions for each exported name and two calls at each use of it, which delayed every start.
 */
export async function toCommonJs(esbuild, chunks, linked) {
  const facts = new Map([...linked].map((name) => [name, readChunk(chunks.get(name))]));
  const made = new Map();
  for (const [name, text] of chunks) {
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

/** Reads the imports and exports of a chunk, and the exports that may get another value after it has run. */
function readChunk(text) {
  const { body } = parseSync('chunk.mjs', text).program;
  const statements = (type) => body.filter((node) => node.type === type);
  const [exported] = statements('ExportNamedDeclaration');
  const assigned = assignedNames(body);
  const specifiers = exported?.specifiers ?? [];
  return {
    imports: statements('ImportDeclaration').filter(({ specifiers }) =>
      specifiers.every(({ type }) => type === 'ImportSpecifier'),
    ),
    exported,
    changing: new Set(
      specifiers.filter(({ local }) => assigned.has(local.name)).map((one) => one.exported.name),
    ),
    isLinked: statements('ExportDefaultDeclaration').length === 0 && !declaresNamesOfCommonJs(body),
  };
}

function declaresNamesOfCommonJs(body) {
  const declared = body.flatMap((node) => node.declarations ?? (node.id ? [node] : []));
  return declared.some(({ id }) => ['module', 'exports', 'require'].includes(id.name));
}

/** By name alone: a variable of a function that is called the same only costs a getter. */
function assignedNames(body) {
  const names = new Set();
  visit(body, (node) => {
    const target = node.type === 'UpdateExpression' ? node.argument : node.left;
    const assigns = ['AssignmentExpression', 'UpdateExpression', 'ForOfStatement', 'ForInStatement'];
    if (assigns.includes(node.type) && target.type !== 'MemberExpression')
      visit(target, (inner) => inner.type === 'Identifier' && names.add(inner.name));
  });
  return names;
}

function visit(node, meet) {
  if (typeof node?.type === 'string') meet(node);
  for (const child of Object.values(node ?? {})) if (typeof child === 'object') visit(child, meet);
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
