import type { TestExpression, Word } from 'unbash';
import { doubt, listUnknownProgram, readPath } from '../findings.js';
import { fileCompare, fileTest, numberCompare, textCompare, textTest } from '../test-operators.js';
import { listInner } from './expansions.js';
import type { Scope } from './scope.js';
import { readSingle } from './words.js';

/** The inside of `[[ … ]]`, written again. */
export function readCondition(expression: TestExpression, scope: Scope): string {
  switch (expression.type) {
    case 'TestLogical':
      return expression.operands
        .map((operand) => readCondition(operand, scope))
        .join(` ${expression.operator} `);
    case 'TestNot':
      return `${'! '.repeat(expression.negations.length)}${readCondition(expression.operand, scope)}`;
    case 'TestGroup':
      return `( ${readCondition(expression.expression, scope)} )`;
    case 'TestUnary':
      return readUnary(expression.operator, expression.operand, scope);
    case 'TestBinary':
      return `${operand(expression.left, scope)} ${readBinary(expression, scope)}`;
    default:
      listInner(expression, scope);
      doubt(scope.findings, 'an unknown condition in [[ ]]');
      return '';
  }
}

function operand(word: Word, scope: Scope): string {
  return readSingle(word, scope).canonical;
}

function readUnary(operator: string, word: Word, scope: Scope): string {
  const value = readSingle(word, scope);
  if (fileTest.test(operator)) {
    readPath(scope.findings, value, { who: `[[ ${operator} ]]`, directories: scope.directories });
  } else if (!textTest.test(operator))
    listUnknownProgram(scope.findings, `[[ ${operator} ]] may run commands`);
  return `${operator} ${value.canonical}`;
}

function readBinary(
  { operator, left, right }: { operator: string; left: Word; right: Word },
  scope: Scope,
): string {
  const who = `[[ ${operator} ]]`;
  if (fileCompare.test(operator)) {
    const use = { who, directories: scope.directories };
    for (const word of [left, right]) readPath(scope.findings, readSingle(word, scope), use);
  } else if (numberCompare.test(operator)) {
    const literal = /^-?\d{1,9}$/.test(left.text) && /^-?\d{1,9}$/.test(right.text);
    if (!literal) listUnknownProgram(scope.findings, `${who} with variables may run commands`);
  } else if (!textCompare.test(operator))
    doubt(scope.findings, `${who} is not simple enough to be sure about`);
  return `${operator} ${operand(right, scope)}`;
}
