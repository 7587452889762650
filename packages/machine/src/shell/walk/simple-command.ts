import { dirname, join, resolve } from 'node:path';
import type { Assignment, Command } from 'unbash';
import type { AnalysisContext } from '../analysis.js';
import { beyondRule } from '../beyond-rule/beyond-rule.js';
import {
  type CommandEntry,
  createFindings,
  deletePath,
  doubt,
  listCommand,
  listUnknownProgram,
  reachNetwork,
  readPath,
  writePath,
} from '../findings.js';
import { dangerousGitKeys } from '../models/git/configuration.js';
import { judge } from '../models/judge.js';
import type { Reporter, Verdict } from '../models/model.js';
import { modelOf } from '../models/programs.js';
import { offerFor, startedAt } from '../offers.js';
import { isInside } from '../paths.js';
import { literalWord, type ShellWord, Unreadable, wordOrNull } from '../shell-word.js';
import { isHarmlessAssignment, readPrefix, readVariable } from './assignments.js';
import { listInner, substitution } from './expansions.js';
import { readRedirections } from './redirections.js';
import { innerScope, MOST_DEPTH, type Scope } from './scope.js';
import { readWord } from './words.js';

export interface WalkedCommand {
  text: string;
  words: readonly ShellWord[];
  verdict: Verdict;
}

/** The most commands that are only possible; room is left for those that are certain. */
const MOST_POSSIBLE = 40;

/** More words than anybody would read; the time to judge them grows with their number. */
const MOST_WORDS = 500;

/** Reads one simple command: its assignments, words and redirections. */
export function readCommand(command: Command, scope: Scope): WalkedCommand {
  if (command.prefix.length + command.suffix.length > MOST_WORDS) {
    throw new Unreadable(`a command in it has more than ${MOST_WORDS} words`);
  }
  const assignments = command.prefix.filter((item): item is Assignment => item.type === 'Assignment');
  if (command.name === undefined) {
    // A redirection that fails keeps the variable from being set.
    const inner = command.redirects.length > 0 ? innerScope(scope) : scope;
    const text = assignments.map((assignment) => readVariable(assignment, inner)).join(' ');
    const redirects = readRedirections(command.redirects, scope);
    return { text: `${text}${redirects}`, words: [], verdict: {} };
  }
  const prefix = assignments.map((assignment) => readPrefix(assignment, scope)).join('');
  const words = [...readWord(command.name, scope), ...readOperands(command, scope)];
  const redirects = readRedirections(command.redirects, scope);
  const verdict = startProgram(words, scope);
  return { text: prefix + words.map((word) => word.canonical).join(' ') + redirects, words, verdict };
}

function readOperands(command: Command, scope: Scope): ShellWord[] {
  return command.args.flatMap((word) => {
    if (word.type === 'Word') return readWord(word, scope);
    // Only builtins that are never automatic take assignments as operands.
    listInner(word, scope);
    doubt(scope.findings, `${word.text} changes the shell`);
    return [];
  });
}

/** Judges a program with its words, named in the line itself or by another program. */
function startProgram(words: readonly ShellWord[], scope: Scope): Verdict {
  const [name, ...rest] = words;
  if (name === undefined) return {};
  if (name.kind !== 'literal') {
    listUnknownProgram(scope.findings, 'a program is started whose name is known only when it runs');
    return {};
  }
  const { findings } = scope;
  const entry = listCommand(findings, words.map(wordOrNull));
  const [before, outer] = [findings.doubtCount, findings.nestedDoubts];
  findings.nestedDoubts = 0;
  const model = modelOf(name.text);
  const verdict = model ? judge(model, rest, reporter(name.text, scope)) : {};
  if (!model) doubt(findings, `\`${name.text}\` is not a program known to only read`);
  const at = startedAt(words, model);
  if (at > 0) reporter(name.text, scope).mayStart(words.slice(at));
  const raised = findings.doubtCount - before;
  entry.beyond = beyondRule(words, { directories: scope.directories, context: findings.context });
  entry.doubtful = raised > findings.nestedDoubts || isElsewhere(entry, scope);
  entry.offer = offerFor(entry, model);
  findings.nestedDoubts = outer + raised;
  return verdict;
}

function reporter(program: string, scope: Scope): Reporter {
  const { findings, directories } = scope;
  const who = `\`${program}\``;
  const use = { who, directories };
  return {
    who,
    doubt: (reason) => doubt(findings, reason),
    read: (word) => readPath(findings, word, { ...use, opens: true }),
    write: (word, ordinary) => writePath(findings, word, { ...use, ordinary }),
    remove: (word, ordinary) => deletePath(findings, word, { ...use, ordinary }),
    network: (what) => reachNetwork(findings, what),
    start: (words) => {
      if (scope.depth >= MOST_DEPTH)
        return listUnknownProgram(findings, `${who} starts programs too deeply nested`);
      startProgram(words, { ...scope, depth: scope.depth + 1 });
    },
    runScript: (word) => runScript(word, scope, who),
    mayStart: (words) => mayRun(scope, (inner) => startProgram(words, inner)),
    mayRun: (text) => mayRun(scope, (inner) => runScript(literalWord(text), inner, who)),
    unknownProgram: (reason) => listUnknownProgram(findings, reason),
    assign: (text) => {
      if (isHarmlessAssignment(text)) return;
      listUnknownProgram(findings, `setting ${text.split('=')[0]} may change what is run`);
    },
    gitConfiguration: (at) => checkRepository(at, scope),
    readInRepository: (path) => {
      for (const directory of directories.flatMap((each) => upToRoot(each, findings.context)))
        readPath(findings, literalWord(join(directory, path)), use);
    },
    force: (environment) => {
      Object.assign(findings.environment, environment);
    },
  };
}

/** A folder and those above it, as far as they are in the same root. */
function upToRoot(directory: string, context: Pick<AnalysisContext, 'roots'>): string[] {
  const root = context.roots.find((each) => isInside(directory, each));
  if (root === undefined || directory === root) return [directory];
  return [directory, ...upToRoot(dirname(directory), context)];
}

/** True for a command outside the workspace: not even one that only reads is covered by a rule for `cd`. */
function isElsewhere({ beyond }: CommandEntry, { findings: { context } }: Scope): boolean {
  return beyond?.folders.some((folder) => !context.roots.some((root) => isInside(folder, root))) ?? false;
}

/** Lists the commands that a program may start, so that rules which deny see them; no rule has to allow them. */
function mayRun(scope: Scope, walk: (inner: Scope) => unknown): undefined {
  if (scope.depth >= MOST_DEPTH) return;
  const findings = createFindings(scope.findings.context);
  try {
    walk({ ...scope, findings, depth: scope.depth + 1 });
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
  }
  for (const text of findings.scripts) scope.findings.scripts.add(text);
  for (const { words } of findings.commands) {
    if (scope.findings.commands.length >= MOST_POSSIBLE) return;
    listCommand(scope.findings, words);
  }
}

/** Lists the commands of a script given as text. It never runs unasked, because it is not written again. */
function runScript(word: ShellWord, scope: Scope, who: string): undefined {
  const { findings } = scope;
  if (word.kind !== 'literal')
    return listUnknownProgram(findings, `${who} runs a command known only when it runs`);
  doubt(findings, `${who} runs a command line of its own`);
  findings.scripts.add(word.text);
  const script = scope.grammar.parse(word.text);
  if (script.errors?.length)
    return listUnknownProgram(findings, `${who} runs a command that could not be read`);
  substitution(script, { ...scope, source: word.text, variables: new Map(), assigned: new Map() });
}

function checkRepository(at: ShellWord | null, { findings, directories }: Scope): boolean {
  const readConfigurations = findings.context.gitConfigurations;
  if (readConfigurations === undefined) return true;
  let isRepository = true;
  for (const directory of directories) {
    const texts = readConfigurations(resolve(directory, at?.text ?? '.'));
    if (texts === null) doubt(findings, 'the configuration of the git repository could not be read');
    if (texts?.length === 0) isRepository = false;
    const [key] = (texts ?? []).flatMap(dangerousGitKeys);
    if (key !== undefined) {
      listUnknownProgram(
        findings,
        `the configuration of this git repository sets ${key}, which may start programs`,
      );
    }
  }
  return isRepository;
}
