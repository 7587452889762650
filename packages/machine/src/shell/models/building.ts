import { sameFor } from '../name-lists.js';
import type { ShellWord } from '../shell-word.js';
import { isInterpreter } from './interpreters.js';
import type { ProgramModel, ProgramTable, Reporter } from './model.js';

interface Tool {
  reason: string;
  /** Command lines that only print something. */
  prints: readonly string[];
  /** Variables that those command lines need. */
  environment?: Readonly<Record<string, string>>;
  /** Sub-commands that fetch from the network. */
  fetches?: readonly string[];
  /** Options whose value is a program. */
  programOptions?: RegExp;
  /** Options whose value is a command line, joined by `=` or the next word. */
  lineOptions?: RegExp;
  offer?: ProgramModel['offer'];
  starts?: ProgramModel['starts'];
}

function tool(given: Tool): ProgramModel {
  const { reason, prints, environment = {}, fetches = [], programOptions, lineOptions } = given;
  return {
    offer: given.offer,
    starts: given.starts,
    examine: (words: readonly ShellWord[], report: Reporter) => {
      const texts = words.map(({ kind, text }) => (kind === 'literal' ? text : '\0'));
      if (prints.includes(texts.join(' '))) return report.force(environment);
      report.doubt(`${report.who} ${reason}`);
      const sub = texts.find((text) => !text.startsWith('-'));
      if (sub !== undefined && fetches.includes(sub)) report.network(`${report.who.slice(0, -1)} ${sub}\``);
      if (programOptions !== undefined && texts.some((text) => programOptions.test(text))) {
        report.unknownProgram(`${report.who} may start any program`);
      }
      if (lineOptions !== undefined) mayRunLines(words, lineOptions, report);
      return undefined;
    },
  };
}

/** Lists the command lines given in options for rules that ask or deny; no rule that allows covers such an option. */
function mayRunLines(words: readonly ShellWord[], option: RegExp, report: Reporter): undefined {
  for (const [index, { kind, text }] of words.entries()) {
    const [name = '', ...value] = kind === 'literal' ? text.split('=') : [];
    if (option.test(name)) report.mayRun(value.length > 0 ? value.join('=') : (words[index + 1]?.text ?? ''));
  }
}

const isName = (word: string | undefined): boolean => /^[A-Za-z][\w:.-]*$/.test(word ?? '');

/** Words to offer in a rule: two for `npm test`, three for `npm run build`, four for `yarn workspace a build`. */
function scriptRunner(words: readonly string[], at = 1): number {
  const [name = '', next] = words.slice(at);
  if (!isName(name) || takesAnything.test(name)) return 0;
  if (name === 'workspace') return next === undefined ? 0 : scriptRunner(words, at + 2);
  if (!/^(run|run-script|tool|task)$/.test(name)) return at + 1;
  return isName(next) ? at + 2 : 0;
}

/** Sub-commands that take code, or any program in any package. */
const takesAnything = /^(eval|repl|explore|workspaces|recursive|multi|foreach)$/;

/** Index of the program in `pnpm exec`, `npm x`, `yarn dlx`, and in `yarn node`, which starts it where no script has that name. */
function startedAt(words: readonly string[], at = 1): number {
  const name = words[at] ?? '';
  if (name === 'workspace') return startedAt(words, at + 2);
  if (/^(exec|x|dlx)$/.test(name)) return at + 1;
  const script = /^run(-script)?$/.test(name) ? at + 1 : at;
  return isInterpreter(words[script]) ? script : 0;
}

/** Index of the program after `uv run`, `poetry run`, `uv tool run`. */
function startedByRun(words: readonly string[]): number {
  if (words[1] === 'run') return 2;
  return words[1] === 'tool' && words[2] === 'run' ? 3 : 0;
}

/** Options that take a command line: `npx -c`, `npm exec --call`, `pnpm exec --shell-mode`. */
const takesLine = /^(-\w*c|--call?|--shell-mode)$/;

const packages = (prints: readonly string[], starts = startedAt): ProgramModel =>
  tool({
    reason: 'runs scripts and changes packages',
    prints,
    fetches:
      'install i ci add update upgrade outdated view info search publish audit dlx create init exec x login link remove fund'.split(
        ' ',
      ),
    lineOptions: takesLine,
    offer: (words) => scriptRunner(words),
    starts: (words) => starts(words),
  });

const fetching = (prints: readonly string[]): ProgramModel =>
  tool({ reason: 'runs a program it may fetch first', prints, lineOptions: takesLine, starts: () => 1 });

/** Words to offer for an interpreter: with a script or a module, never alone and never with code. */
function interpreterOffer(words: readonly string[]): number {
  if (words[1] === '-m') return isName(words[2]) ? 3 : 0;
  return words[1] !== undefined && /^[\w./][\w./-]*$/.test(words[1]) ? 2 : 0;
}

const interpreter = (prints: readonly string[]): ProgramModel =>
  tool({ reason: 'runs code', prints, offer: interpreterOffer });

/** `python -m pytest` takes what `pytest` takes. */
const python: ProgramModel = {
  ...interpreter(['--version', '-V']),
  starts: ([, option]) => (option === '-m' ? 2 : 0),
};

const build = (reason: string, prints: readonly string[], more: Partial<Tool> = {}): ProgramModel =>
  tool({ reason, prints, offer: (words) => (isName(words[1]) ? 2 : 1), ...more });

/** Words that bring code of their own, which a rule for a recipe does not cover. */
const recipes: Partial<Tool> = { programOptions: /^(--eval|-E|\.?SHELL(FLAGS)?[:+?]?=|MAKEFLAGS=)/ };

/** Programs that run the code of a project: never automatic but for questions about themselves. */
export const building: ProgramTable = {
  make: build('runs recipes', ['--version', '-v'], recipes),
  gmake: build('runs recipes', ['--version'], recipes),
  just: build('runs recipes', ['--version', '-V'], {
    programOptions: /^(-c|--command|--shell|--shell-arg)(=|$)/,
  }),
  ...sameFor('cmake ninja', build('runs a build', ['--version'])),
  // A file of the project may name what these start, even to tell their version.
  bazel: build('runs a build', []),
  mvn: build('runs a build', [], {
    offer: (words) => (!/^(exec|antrun):/.test(words[1] ?? '') && isName(words[1]) ? 2 : 0),
  }),
  gradle: build('runs a build', []),
  cargo: build('runs a build', [], {
    fetches: 'install fetch update add search publish login owner yank'.split(' '),
    programOptions: /^--config/,
    // The program runs any command line (-s) whenever a file changes.
    offer: (words) => (words[1] !== 'watch' && isName(words[1]) ? 2 : 0),
  }),
  rustc: build('compiles', []),
  // Plain `go env` tries the compiler; only variables that need no trial are listed.
  go: build('runs a build', ['version', 'env GOPATH', 'env GOROOT', 'env GOMOD', 'help'], {
    // A file of the project may name another version, which would be fetched.
    environment: { GOTOOLCHAIN: 'local' },
    fetches: ['get', 'install'],
    programOptions: /^--?(exec|toolexec|vettool|overlay|modfile)(=|$)/,
    // Any program that is a file or a package, unless it is named.
    offer: (words) =>
      words[1] === 'run' ? (/^[\w./]/.test(words[2] ?? '') ? 3 : 0) : isName(words[1]) ? 2 : 0,
  }),
  ...sameFor('gcc g++ clang tsc', build('compiles', ['--version', '-v'])),
  // Any other question makes it write a log, where a file of the project may tell it to.
  npm: packages(['--version', '-v']),
  pnpm: packages([]),
  yarn: packages([]),
  bun: packages(['--version', '-v']),
  deno: packages(['--version', '-V']),
  npx: fetching(['--version']),
  bunx: fetching([]),
  uvx: fetching([]),
  uv: packages(['--version', '-V'], startedByRun),
  // Poetry loads plugins of the project first.
  poetry: packages([], startedByRun),
  ...sameFor(
    'pip pip3',
    build('changes packages', ['--version', '-V'], { fetches: ['install', 'download', 'index', 'search'] }),
  ),
  ...sameFor('python python3', python),
  ...sameFor('node ruby perl php', interpreter(['--version', '-v'])),
  lua: interpreter(['-v']),
  // Java keeps figures about itself in a file.
  java: interpreter([]),
  Rscript: interpreter(['--version']),
  osascript: interpreter([]),
};
