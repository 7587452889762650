import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { root } from '../setup.mjs';

/** The product's source files, tests and fixtures aside: path, room, text and what is declared in each. */
export function readSources() {
  const packages = readdirSync(join(root, 'packages'));
  return packages.flatMap((name) =>
    readdirSync(join(root, 'packages', name, 'src'), { recursive: true })
      .filter((path) => /\.tsx?$/.test(path) && !isTest(path))
      .map((path) => readSource(name, path)),
  );
}

/** Everything that stands beside the product's code for its tests. */
export function isTest(path) {
  return /\.test(-d)?\.ts$/.test(path) || /(^|\/)fixtures\//.test(path);
}

function readSource(packageName, path) {
  const text = readFileSync(join(root, 'packages', packageName, 'src', path), 'utf8');
  const [first] = path.split('/');
  return {
    path: `packages/${packageName}/src/${path}`,
    package: packageName,
    room: path.includes('/') ? `${packageName}/${first}` : packageName,
    lines: text.split('\n').length - 1,
    text,
    ...declarationsOf(text),
  };
}

/** The named functions and the types of one file, with the lines they take. */
export function declarationsOf(text) {
  const functions = [];
  const types = [];
  const lineAt = lineCounter(text);
  visitNodes(parseSync('source.tsx', text).program, (node, name) => {
    if (isFunction(node) && node.body) {
      const bodyIsExpression = node.body.type !== 'BlockStatement';
      functions.push({ name, node, bodyIsExpression, lines: lineAt(node.end) - lineAt(node.start) + 1 });
    }
    if (node.type === 'TSInterfaceDeclaration' || node.type === 'TSTypeAliasDeclaration')
      types.push(node.id.name);
  });
  return { functions, types };
}

/** Calls `meet` for each node, with the name under which a function of that place is known, or null. */
function visitNodes(node, meet, name = null) {
  if (Array.isArray(node)) {
    for (const one of node) visitNodes(one, meet);
    return;
  }
  if (!node || typeof node.type !== 'string') return;
  meet(node, node.id?.name ?? name);
  for (const [key, child] of Object.entries(node)) {
    if (child && typeof child === 'object') visitNodes(child, meet, nameFor(node, key));
  }
}

/** `const x = () => …`, `x: () => …` and methods name their function one level above it. */
function nameFor(node, key) {
  if (node.type === 'VariableDeclarator' && key === 'init') return node.id.name ?? null;
  const holdsValue = ['MethodDefinition', 'PropertyDefinition', 'Property'].includes(node.type);
  return holdsValue && key === 'value' ? (node.key.name ?? null) : null;
}

function isFunction({ type }) {
  return ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'].includes(type);
}

function lineCounter(text) {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (starts[middle] <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  };
}

/** The functions of a text that take more lines than this. */
export function longFunctions(text, most) {
  if (text.split('\n').length <= most) return [];
  const { functions } = declarationsOf(text);
  return functions.filter(({ lines }) => lines > most).map(({ name, lines }) => ({ name, lines }));
}

/** The lines of a text in which an object literal spreads members only under a condition. */
export function conditionalSpreads(text) {
  if (!text.includes('...(')) return [];
  const found = [];
  const lineAt = lineCounter(text);
  visitNodes(parseSync('source.tsx', text).program, (node) => {
    if (node.type !== 'ObjectExpression') return;
    for (const member of node.properties)
      if (member.type === 'SpreadElement' && isConditional(unwrapped(member.argument)))
        found.push(lineAt(member.start) + 1);
  });
  return found;
}

/** The lines of a text in which an object literal spreads a literal: its members can stand there themselves, one a line. */
export function packedMembers(text) {
  if (!text.includes('...{')) return [];
  const found = [];
  const lineAt = lineCounter(text);
  visitNodes(parseSync('source.tsx', text).program, (node) => {
    if (node.type !== 'ObjectExpression') return;
    for (const member of node.properties)
      if (member.type === 'SpreadElement' && membersOf(member.argument) !== null)
        found.push(lineAt(member.start) + 1);
  });
  return found;
}

function isConditional({ type, operator, right, consequent, alternate }) {
  if (type === 'LogicalExpression') return operator === '&&' && membersOf(right) !== null;
  if (type !== 'ConditionalExpression') return false;
  const branches = [membersOf(consequent), membersOf(alternate)];
  return branches.includes(0) && !branches.includes(null);
}

/** The number of members of an object literal; null for anything else. */
function membersOf(node) {
  const { type, properties } = unwrapped(node);
  return type === 'ObjectExpression' ? properties.length : null;
}

function unwrapped(node) {
  return node.type === 'ParenthesizedExpression' ? unwrapped(node.expression) : node;
}
