import { parseSync } from 'oxc-parser';

/** Reads the imports and exports of a chunk, and the exports that may get another value after it has run. */
export function readChunk(text) {
  const { body } = parseSync('chunk.mjs', text).program;
  const statements = (type) => body.filter((node) => node.type === type);
  const [exported] = statements('ExportNamedDeclaration');
  const assigned = assignedNames(body);
  const specifiers = exported?.specifiers ?? [];
  const hasDefault = statements('ExportDefaultDeclaration').length > 0;
  return {
    names: [...specifiers.map((one) => one.exported.name), ...(hasDefault ? ['default'] : [])],
    imports: statements('ImportDeclaration').filter(({ specifiers }) =>
      specifiers.every(({ type }) => type === 'ImportSpecifier'),
    ),
    exported,
    changing: new Set(
      specifiers.filter(({ local }) => assigned.has(local.name)).map((one) => one.exported.name),
    ),
    isLinked: !hasDefault && !declaresNamesOfCommonJs(body),
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
