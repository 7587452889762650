import { relative } from 'node:path';
import type { SyntaxNode } from 'unbash';
import type { AnalysisContext, ShellAnalysis } from './analysis.js';
import { createFindings, type Findings } from './findings.js';
import { isInside } from './paths.js';
import { Unreadable } from './shell-word.js';
import { type Grammar, MOST_DEPTH, type Scope } from './walk/scope.js';

/** Finds out what a command line would do, without running it. Anything that can't be read is a doubt, never a guess. */
export async function analyseCommand(command: string, context: AnalysisContext): Promise<ShellAnalysis> {
  if (command.includes('\0'))
    return unreadable('it contains a NUL character', 'The command contains a NUL character.');
  const doubtful = doubtfulText(command);
  if (doubtful !== null) return unreadable(doubtful);
  const [grammar, { walkScript }] = await (parts ??= load());
  try {
    const findings = createFindings(context);
    const script = grammar.parse(command);
    const scope: Scope = {
      grammar,
      findings,
      source: command,
      directories: [context.directory],
      depth: 0,
      assigned: countAssignments(script, grammar),
      variables: new Map(),
      walkScript,
    };
    return describe(findings, walkScript(script, scope).text);
  } catch (error) {
    // A parser that gives up, by its own limits or those of the stack, has not read the line.
    return unreadable(error instanceof Unreadable ? error.message : 'the command line could not be read');
  }
}

let parts: ReturnType<typeof load> | undefined;

/** The grammar and the models are heavy: loaded with the first command. */
function load() {
  return Promise.all([import('unbash'), import('./walk/walk-script.js')]);
}

/** Counts the assignments of each variable in the whole line: only one that is set once has a known value. */
function countAssignments(script: SyntaxNode, grammar: Grammar): Map<string, number> {
  const counts = new Map<string, number>();
  const add = (name: string): unknown => counts.set(name, (counts.get(name) ?? 0) + 1);
  let depth = 0;
  const visit = (node: SyntaxNode): undefined => {
    const nests = node.type === 'Script';
    // A script within a script is parsed when it is looked at: the time of that is bounded here.
    if (nests && ++depth > MOST_DEPTH + 1) throw new Unreadable('substitutions are nested too deeply');
    if (node.type === 'Assignment') add(node.name);
    if (node.type === 'For' || node.type === 'Select') add(node.name.text);
    grammar.forEachChild(node, visit);
    if (nests) depth--;
  };
  visit(script);
  return counts;
}

function describe(findings: Findings, canonical: string): ShellAnalysis {
  const readOnly = findings.doubts.size === 0 && findings.commands.length > 0;
  const unproven = findings.commands.filter(({ doubtful }) => doubtful);
  const folders = unproven.flatMap(({ beyond }) => beyond?.folders ?? []);
  const offers = [
    ...folders.map((folder) => folderOffer(folder, findings.context)),
    ...unproven.map(({ offer }) => offer),
  ];
  const known = offers.filter((offer) => offer !== null);
  return {
    refused: null,
    commands: findings.commands.map(({ words }) => words),
    unproven: unproven.map(({ words }) => words),
    beyond: unproven.flatMap(({ words, beyond }) => (beyond ? [{ words, ...beyond }] : [])),
    doubts: readOnly || findings.doubts.size > 0 ? [...findings.doubts] : ['it runs no command'],
    readOnly,
    reads: [...findings.reads],
    writes: [...findings.writes],
    deletes: [...findings.deletes],
    ordinary: [...findings.ordinary].filter((path) => !findings.extraordinary.has(path)),
    network: [...findings.network],
    background: findings.background,
    canonical: readOnly ? canonical : null,
    environment: readOnly ? findings.environment : {},
    offers: known.length === offers.length ? unique(known) : [],
    scripts: [...findings.scripts],
  };
}

/** A rule for `cd` that names the folder, where it is one of the workspace. */
function folderOffer(folder: string, { roots: [workspace] }: AnalysisContext): readonly string[] | null {
  return workspace !== undefined && isInside(folder, workspace) ? ['cd', relative(workspace, folder)] : null;
}

function unique(offers: readonly (readonly string[])[]): (readonly string[])[] {
  return [...new Map(offers.map((offer) => [offer.join('\0'), offer])).values()];
}

function unreadable(doubt: string, refused: string | null = null): ShellAnalysis {
  return {
    refused,
    commands: null,
    unproven: [],
    beyond: [],
    doubts: [doubt],
    readOnly: false,
    reads: [],
    writes: [],
    deletes: [],
    ordinary: [],
    network: [],
    background: false,
    canonical: null,
    environment: {},
    offers: [],
    scripts: [],
  };
}

/** Longer lines are asked about: nobody would read them either, and the parser is slow on hostile ones. */
const MOST_BYTES = 8 * 1024;
/** The most brackets and backticks: the parser's time grows with the square of some of them. */
const MOST_OPENERS = 400;

/** Control characters but newline and tab, bidi, zero-width and tag characters, blanks outside ASCII, byte order mark. */
const misleading =
  /\p{Cc}|\p{Cf}|\p{Co}|\p{Cn}|\p{Zl}|\p{Zp}|\p{Default_Ignorable_Code_Point}|[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/u;

/** The problem with the characters of a command line, checked before it is parsed, or null. */
function doubtfulText(command: string): string | null {
  if (Buffer.byteLength(command) > MOST_BYTES) return 'the command is longer than 8 KiB';
  if (/\p{Cs}/u.test(command)) return 'the command is not well-formed Unicode';
  if (misleading.test(command.replace(/[\n\t]/g, ''))) {
    return 'the command contains control, invisible or unusual blank characters';
  }
  if ((command.match(/[({[`]/g)?.length ?? 0) > MOST_OPENERS) {
    return 'the command is nested too deeply to be read safely';
  }
  return null;
}

/** A word of letters and signs that mean nothing to bash, or of quoted text in which nothing is replaced. */
const word = `(?:[A-Za-z0-9_./:=@%+,^-]|'[ -&(-~]*'|"[ #%&'()*+,./0-9:;<=>?@A-Z\\[\\]^_a-z{|}~-]*")+`;
const command = `${word}(?: +${word})*`;
const plain = new RegExp(`^(?!-)${command}(?: *(?:\\|\\|?|&&|;) *${command})*$`);

/** Words that mean something to bash where a program's name would stand. */
const reserved =
  /(?:^|[ |&;])(?:if|then|elif|else|fi|for|while|until|select|in|do|done|case|esac|function|time|coproc)(?=[ |&;]|$)/;

/** True for a line that can be read in only one way: words, and the signs that join commands. */
export function isPlainlyRead(line: string): boolean {
  return plain.test(line) && !reserved.test(line);
}
