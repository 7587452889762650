import { resolve } from 'node:path';
import type {
  CompoundList,
  ParsedScript,
  Pipeline,
  Redirection,
  Statement,
  SyntaxNode,
  TestExpression,
  Word,
} from 'unbash';
import { doubt, listUnknownProgram, readPath } from '../findings.js';
import { follow, isInside } from '../paths.js';
import { type ShellWord, Unreadable } from '../shell-word.js';
import { fileCompare, fileTest, numberCompare, textCompare, textTest } from '../test-operators.js';
import { bind, isOwnVariable } from './assignments.js';
import { coversSource } from './covers-source.js';
import { listInner, substitution } from './expansions.js';
import { readRedirections } from './redirections.js';
import { innerScope, type Scope, type WalkedScript } from './scope.js';
import { readCommand } from './simple-command.js';
import { readSingle, readWord } from './words.js';

/** A piece of the line written again, and the folders the shell may be in when it succeeded or failed. */
interface Walked {
  text: string;
  success: readonly string[];
  failure: readonly string[];
  prints?: WalkedScript['prints'];
}

const MOST_DIRECTORIES = 8;

export function walkScript(script: ParsedScript, outer: Scope): WalkedScript {
  const scope = script.source === undefined ? outer : { ...outer, source: script.source };
  if (script.errors?.length || !coversSource(script, scope.source, scope.grammar)) {
    throw new Unreadable('the command line could not be read');
  }
  const walked = walkStatements(script.commands, scope);
  return { text: walked.text, prints: script.commands.length === 1 ? walked.prints : undefined };
}

function walkStatements(statements: readonly Statement[], scope: Scope): Walked {
  let directories = scope.directories;
  const texts: string[] = [];
  let prints: Walked['prints'];
  for (const statement of statements) {
    const inner = statement.background ? innerScope(scope) : scope;
    const walked = walkNode(statement.command, { ...inner, directories });
    texts.push(walked.text);
    prints = walked.prints;
    if (statement.background) {
      scope.findings.background = true;
      doubt(scope.findings, 'part of it runs in the background');
    } else directories = union(scope, walked.success, walked.failure);
  }
  return { text: texts.join('; '), success: directories, failure: directories, prints };
}

function union(scope: Scope, ...lists: (readonly string[])[]): string[] {
  const all = [...new Set(lists.flat())];
  if (all.length <= MOST_DIRECTORIES) return all;
  doubt(scope.findings, 'it changes the working directory too often to follow');
  return all.slice(0, MOST_DIRECTORIES);
}

function stay(text: string, scope: Scope, prints?: Walked['prints']): Walked {
  return { text, success: scope.directories, failure: scope.directories, prints };
}

type Walkable = Statement['command'] | CompoundList;

function walkNode(node: Walkable, scope: Scope): Walked {
  switch (node.type) {
    case 'Command':
      return walkCommand(node, scope);
    case 'Pipeline':
      return walkPipeline(node, scope);
    case 'AndOr':
      return walkAndOr(node, scope);
    case 'CompoundList':
      return walkStatements(node.commands, scope);
    case 'Subshell':
      return stay(`( ${walkNode(node.body, innerScope(scope)).text} )`, scope);
    case 'BraceGroup': {
      const walked = walkNode(node.body, scope);
      return { ...walked, text: `{ ${walked.text}; }`, prints: undefined };
    }
    case 'Redirected':
      return walkRedirected(node, scope);
    case 'If':
      return walkIf(node, scope);
    case 'While':
    case 'For':
      return walkLoop(node, scope);
    case 'Case':
      return walkCase(node, scope);
    case 'TestCommand':
      return stay(`[[ ${readCondition(node.expression, scope)} ]]`, scope);
    default:
      return refuse(node, scope);
  }
}

/** Refuses a construct that is not followed: the commands in it are listed for the rules, and it never runs unasked. */
function refuse(node: SyntaxNode, scope: Scope): Walked {
  const what: Record<string, string> = {
    Function: 'it defines a function',
    Coproc: 'it starts a coprocess',
    Select: 'it asks with `select`',
  };
  const reason = what[node.type];
  if (reason !== undefined) doubt(scope.findings, reason);
  else if (/^Arithmetic/.test(node.type)) listUnknownProgram(scope.findings, 'arithmetic may run commands');
  else listUnknownProgram(scope.findings, `it contains ${node.type}, which is not known`);
  walkChildren(node, scope);
  return stay('', scope);
}

function walkChildren(node: SyntaxNode, scope: Scope): undefined {
  scope.grammar.forEachChild(node, (child) => {
    if (child.type === 'CompoundList') walkStatements(child.commands, scope);
    else if (child.type === 'Script') substitution(child, scope);
    else if (child.type === 'Command' || child.type === 'Redirected') walkNode(child, scope);
    else walkChildren(child, scope);
  });
}

function walkCommand(node: Parameters<typeof readCommand>[0], scope: Scope): Walked {
  const { text, words, verdict } = readCommand(node, scope);
  if (words[0]?.text !== 'cd' || words[0].kind !== 'literal') return stay(text, scope, verdict.prints);
  const before = scope.findings.doubtCount;
  const entry = scope.findings.commands.at(-1);
  const success = changeDirectory(words.slice(1), scope);
  if (entry && scope.findings.doubtCount > before) entry.doubtful = true;
  return { text, success, failure: scope.directories };
}

function walkPipeline(node: Pipeline, scope: Scope): Walked {
  const single = node.commands.length === 1;
  const parts = node.commands.map((command) => walkNode(command, single ? scope : innerScope(scope)));
  const text = parts
    .map((part, index) => part.text + (index < parts.length - 1 ? ` ${node.operators[index]} ` : ''))
    .join('');
  const prefix = node.prefixes
    .map((item) => (item.type === 'Negation' ? '! ' : `time ${item.posix ? '-p ' : ''}`))
    .join('');
  const [only] = parts;
  // Several commands run in shells of their own.
  if (!single || only === undefined) return stay(prefix + text, scope);
  const negated = node.prefixes.filter((item) => item.type === 'Negation').length % 2 === 1;
  const { success, failure } = only;
  return { text: prefix + text, success: negated ? failure : success, failure: negated ? success : failure };
}

function walkAndOr(node: Extract<Walkable, { type: 'AndOr' }>, scope: Scope): Walked {
  let current: Walked | undefined;
  let inner = scope;
  node.commands.forEach((command, index) => {
    if (current === undefined) {
      current = walkNode(command, scope);
      return;
    }
    const operator = node.operators[index - 1];
    const onSuccess = operator === '&&';
    // A command after `a && b &&` runs after both; after `||` only the first has run for certain.
    const isSure = node.operators.slice(0, index).every((each) => each === '&&');
    inner = isSure && inner !== scope ? inner : innerScope(scope);
    const next = walkNode(command, { ...inner, directories: onSuccess ? current.success : current.failure });
    current = {
      text: `${current.text} ${operator} ${next.text}`,
      success: onSuccess ? next.success : union(scope, current.success, next.success),
      failure: onSuccess ? union(scope, current.failure, next.failure) : next.failure,
    };
  });
  return current ?? stay('', scope);
}

function walkRedirected(
  node: { command: Walkable; redirects: readonly Redirection[] },
  scope: Scope,
): Walked {
  const redirects = readRedirections(node.redirects, scope);
  const walked = walkNode(node.command, innerScope(scope));
  return { ...walked, text: walked.text + redirects, prints: undefined };
}

function walkIf(node: Extract<Walkable, { type: 'If' }>, scope: Scope): Walked {
  const ends: (readonly string[])[] = [];
  let text = '';
  let directories = scope.directories;
  [node, ...node.elif].forEach((branch, index) => {
    const clause = walkNode(branch.clause, { ...(index === 0 ? scope : innerScope(scope)), directories });
    const afterClause = union(scope, clause.success, clause.failure);
    const then = walkNode(branch.then, { ...innerScope(scope), directories: afterClause });
    text += `${index === 0 ? 'if' : ' elif'} ${clause.text}; then ${then.text};`;
    ends.push(then.success);
    directories = afterClause;
  });
  if (node.else) {
    const otherwise = walkNode(node.else, { ...innerScope(scope), directories });
    text += ` else ${otherwise.text};`;
    ends.push(otherwise.success);
  } else ends.push(directories);
  const after = union(scope, ...ends);
  return { text: `${text} fi`, success: after, failure: after };
}

function walkLoop(node: Extract<Walkable, { type: 'While' | 'For' }>, scope: Scope): Walked {
  const inner = innerScope(scope);
  const head = node.type === 'For' ? forHead(node, inner) : walkLoopPart(node.clause, inner, `${node.kind} `);
  const body = walkLoopPart(node.body, inner, '');
  return stay(`${head}; do ${body}; done`, scope);
}

/** Walks a part of a loop. One that changes the folder would do so again each time round. */
function walkLoopPart(list: CompoundList, scope: Scope, before: string): string {
  const walked = walkNode(list, scope);
  if (walked.success.join('\0') !== scope.directories.join('\0')) {
    doubt(scope.findings, 'a loop changes the working directory');
  }
  return before + walked.text;
}

function forHead(node: { name: Word; wordlist: readonly Word[] | undefined }, scope: Scope): string {
  const name = node.name.text;
  if (!isOwnVariable(name) || name.startsWith('_'))
    listUnknownProgram(scope.findings, `setting ${name} may change what is run`);
  if (node.wordlist === undefined) doubt(scope.findings, 'a loop over the arguments of the shell');
  const words = (node.wordlist ?? []).flatMap((word) => readWord(word, scope));
  bind(name, scope, words);
  return `for ${name} in ${words.map((word) => word.canonical).join(' ')}`;
}

function walkCase(node: Extract<Walkable, { type: 'Case' }>, scope: Scope): Walked {
  const subject = readSingle(node.word, scope).canonical;
  const ends: (readonly string[])[] = [scope.directories];
  const items = node.items.map((item) => {
    const patterns = item.pattern.map((word) => readSingle(word, scope).canonical).join('|');
    if (item.terminator !== undefined && item.terminator !== ';;') {
      doubt(scope.findings, 'a case that falls through');
    }
    const body = walkNode(item.body, innerScope(scope));
    ends.push(body.success);
    return `(${patterns}) ${body.text || ':'} ;;`;
  });
  const after = union(scope, ...ends);
  return { text: `case ${subject} in ${items.join(' ')} esac`, success: after, failure: after };
}

/** The folder of the shell after a `cd` that worked. */
function changeDirectory(words: readonly ShellWord[], scope: Scope): readonly string[] {
  const { findings, directories } = scope;
  const [target, more] = words[0]?.text === '--' ? words.slice(1) : words;
  // The commands that follow would be judged in the wrong folder, so no rule may cover them.
  const leave = (reason: string): readonly string[] => {
    listUnknownProgram(findings, reason);
    return directories;
  };
  if (target === undefined) return goTo([findings.context.home], scope);
  if (target.kind !== 'literal' || more !== undefined)
    return leave('`cd` goes to a folder known only when it runs');
  if (target.text.startsWith('-') || target.text === '')
    return leave(`\`cd ${target.text}\` is not followed`);
  const { context } = findings;
  const real = (path: string): string => follow('/', path, context);
  // The shell takes `..` from the name of the folder, programs from the folder itself.
  const climbs = target.text.split('/').includes('..');
  if (climbs && directories.some((directory) => real(directory) !== directory)) {
    return leave('`cd` climbs out of a folder behind a link');
  }
  return goTo(
    directories.map((directory) => resolve(directory, target.text)),
    scope,
  );
}

function goTo(after: readonly string[], { findings }: Scope): readonly string[] {
  const { context } = findings;
  const real = (path: string): string => follow('/', path, context);
  const roots = context.roots.flatMap((root) => [root, real(root)]);
  for (const path of after.flatMap((path) => [path, real(path)])) {
    if (!roots.some((root) => isInside(path, root)))
      doubt(findings, `\`cd\` goes to ${path}, outside the workspace`);
  }
  return [...new Set(after)];
}

/** The inside of `[[ … ]]`, written again. */
function readCondition(expression: TestExpression, scope: Scope): string {
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
