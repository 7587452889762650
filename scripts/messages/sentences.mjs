import { parseSync } from 'oxc-parser';

/** The sentences and parts of sentences that a source file can say, each once, in their order. Values stand as `{name}`. */
export function sentencesIn(source, name = 'source.ts') {
  const found = new Set();
  visit(parseSync(name, source).program, (text) => {
    if (isSaid(text)) found.add(text);
  });
  return [...found];
}

/** Types, imports and keys hold text that nobody reads. */
const silent = new Set([
  'ImportDeclaration',
  'ExportAllDeclaration',
  'TSLiteralType',
  'TSTemplateLiteralType',
]);

function visit(node, say) {
  if (Array.isArray(node)) {
    for (const one of node) visit(one, say);
    return;
  }
  if (!node || typeof node.type !== 'string' || silent.has(node.type) || listsWords(node)) return;
  if (node.type === 'CallExpression' && wordListMakers.test(node.callee.name ?? '')) {
    visit(node.arguments.slice(1), say);
    return;
  }
  if (node.type === 'ExportNamedDeclaration' && node.source) return;
  if (node.type === 'JSXAttribute' && /^(className|rel|href)$/.test(node.name.name)) return;
  const text = textOf(node);
  if (text !== null) {
    say(text);
    visit(node.expressions ?? joined(node), say);
    return;
  }
  for (const child of Object.values(node)) if (child && typeof child === 'object') visit(child, say);
}

/** Makers of sets and tables from words in one text. */
const wordListMakers = /^(sameFor|wordSet|set)$/;

/** Lists of names, and words that are looked for in a text of somebody else: nobody says them. */
function listsWords(node) {
  if (node.type === 'Property' && node.key.name === 'words')
    return (
      node.value.type === 'ArrayExpression' && node.value.elements.every(({ type }) => type === 'Literal')
    );
  if (node.type !== 'CallExpression') return false;
  const { callee } = node;
  if (callee.type === 'MemberExpression' && callee.property.name === 'split')
    return textOf(callee.object) !== null;
  if (
    callee.type === 'MemberExpression' &&
    /^(includes|startsWith|endsWith|indexOf)$/.test(callee.property.name)
  )
    return callee.object.type !== 'ArrayExpression' && textOf(node.arguments[0] ?? callee) !== null;
  return false;
}

/** Gives the text of a literal, a template or several that are joined; null for anything else. */
function textOf(node) {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : null;
  if (node.type === 'JSXText') return node.value.replace(/\s+/g, ' ').trim();
  if (node.type === 'TemplateLiteral')
    return node.quasis
      .map(
        ({ value }, index) =>
          value.cooked + (index < node.expressions.length ? shown(node.expressions[index]) : ''),
      )
      .join('');
  if (node.type !== 'BinaryExpression' || node.operator !== '+') return null;
  const sides = [node.left, node.right].map((side) => textOf(side));
  if (sides.every((side) => side === null)) return null;
  return sides.map((side, index) => side ?? shown(index === 0 ? node.left : node.right)).join('');
}

/** Gives the text inside the values of a joined text. */
function joined({ left, right }) {
  return [left, right].filter((side) => side && textOf(side) === null);
}

/** The name of a value, as short as it can be told. */
function shown(node) {
  return `{${nameOf(node) ?? '…'}}`;
}

function nameOf(node) {
  if (node.type === 'Identifier') return node.name;
  if (node.type === 'ChainExpression' || node.type === 'TSNonNullExpression') return nameOf(node.expression);
  if (node.type === 'AwaitExpression') return nameOf(node.argument);
  if (node.type === 'MemberExpression') return nameOf(node.computed ? node.object : node.property);
  if (node.type !== 'CallExpression') return null;
  const { callee } = node;
  if (callee.name === 'plural' || callee.name === 'counted') return counted(node.arguments[1]);
  const [name] = [...node.arguments, callee.type === 'MemberExpression' ? callee.object : callee]
    .map(nameOf)
    .filter((each) => each !== null);
  return name ?? null;
}

/** `plural(count, 'file')` says "3 files". */
function counted(noun) {
  return noun?.type === 'Literal' ? `n ${noun.value}s` : null;
}

/** Paths, flags, markup and what begins like a setting of the sandbox. */
const beginsLikeCode = /^[-./$<^]|^:[^ ]|^\{\n|^\((allow|deny|subpath|literal)|^\w+\/[\w-]+;|^data:/;
/** Patterns, programs and style sheets. */
const holdsCode = /[\\|]\w|=>|&&|\|\||\$\(|\{ |"\$|;;|: [\w-]+;|\n {2}"/;

/** Two words in a row, or one that ends like a sentence. */
function isSaid(text) {
  if (beginsLikeCode.test(text) || (holdsCode.test(text) && !/\. \p{Lu}/u.test(text))) return false;
  if (/^\p{Lu}[\p{Ll}’']+[.!?…]$/u.test(text)) return true;
  return /\p{L}[\p{Ll}’']+[,:;]? [\p{Ll}{]|\} \p{Ll}{2}/u.test(text) && !isListOfNames(text);
}

/** Names of commands, modules or kinds, for code that looks for them. */
function isListOfNames(text) {
  const isList = /^[\w.+-]+( [\w.+-]+){11,}$/.test(text) && !/ (the|an?|of|to|and) /.test(text);
  return isList || /_/.test(text.split(' ')[0]);
}
