import type { ShellWord } from '../shell-word.js';
import type { ProgramModel, ProgramTable, Reporter } from './model.js';

interface Tool {
  reason: string;
  /** Exactly these words only print something. */
  prints: readonly string[];
  /** Sub-commands that fetch from the network. */
  fetches?: readonly string[];
  /** Options whose value is a program. */
  starts?: RegExp;
  offer: ProgramModel['offer'];
}

function tool({ reason, prints, fetches = [], starts, offer }: Tool): ProgramModel {
  return {
    offer,
    examine: (words: readonly ShellWord[], report: Reporter) => {
      const texts = words.map(({ kind, text }) => (kind === 'literal' ? text : '\0'));
      if (prints.includes(texts.join(' '))) return undefined;
      report.doubt(`${report.who} ${reason}`);
      const sub = texts.find((text) => !text.startsWith('-'));
      if (sub !== undefined && fetches.includes(sub)) report.network(`${report.who.slice(0, -1)} ${sub}\``);
      if (starts !== undefined && texts.some((text) => starts.test(text))) {
        report.unknownProgram(`${report.who} may start any program`);
      }
      return undefined;
    },
  };
}

const isName = (word: string | undefined): boolean => /^[A-Za-z][\w:.-]*$/.test(word ?? '');

/** `npm test` by two words, `npm run build` by three. */
function scriptRunner(words: readonly string[]): number {
  if (!isName(words[1])) return 0;
  if (!/^(run|run-script|exec|x|dlx|workspace|tool|task)$/.test(words[1]!)) return 2;
  return isName(words[2]) ? 3 : 0;
}

const packages = (prints: readonly string[]): ProgramModel =>
  tool({
    reason: 'runs scripts and changes packages',
    prints,
    fetches:
      'install i ci add update upgrade outdated view info search publish audit dlx create init exec x login link remove fund'.split(
        ' ',
      ),
    offer: scriptRunner,
  });

/** A script by name or a module, never the interpreter alone and never code in the command itself. */
function interpreterOffer(words: readonly string[]): number {
  if (words[1] === '-m') return isName(words[2]) ? 3 : 0;
  return words[1] !== undefined && /^[\w./][\w./-]*$/.test(words[1]) ? 2 : 0;
}

const interpreter = (prints: readonly string[]): ProgramModel =>
  tool({ reason: 'runs code', prints, offer: interpreterOffer });

const build = (reason: string, prints: readonly string[], more: Partial<Tool> = {}): ProgramModel =>
  tool({ reason, prints, offer: (words) => (isName(words[1]) ? 2 : 1), ...more });

/** Programs that run the code of a project: never automatic but for questions about themselves. */
export const building: ProgramTable = {
  make: build('runs recipes', ['--version', '-v']),
  gmake: build('runs recipes', ['--version']),
  just: build('runs recipes', ['--version', '-V']),
  cmake: build('runs a build', ['--version']),
  ninja: build('runs a build', ['--version']),
  // A file of the project may name what these start, even to tell their version.
  bazel: build('runs a build', []),
  mvn: build('runs a build', []),
  gradle: build('runs a build', []),
  cargo: build('runs a build', [], {
    fetches: 'install fetch update add search publish login owner yank'.split(' '),
    starts: /^--config/,
  }),
  rustc: build('compiles', []),
  go: build('runs a build', ['version', 'env', 'env GOPATH', 'env GOROOT', 'env GOMOD', 'help'], {
    fetches: ['get', 'install'],
    starts: /^--?(exec|toolexec|vettool|overlay|modfile)(=|$)/,
  }),
  gcc: build('compiles', ['--version', '-v']),
  'g++': build('compiles', ['--version', '-v']),
  clang: build('compiles', ['--version', '-v']),
  tsc: build('compiles', ['--version', '-v']),
  npm: packages(['--version', '-v', 'version', 'root', 'prefix', 'bin']),
  pnpm: packages([]),
  yarn: packages([]),
  bun: packages(['--version', '-v']),
  deno: packages(['--version', '-V']),
  npx: tool({
    reason: 'runs a program it may fetch first',
    prints: ['--version'],
    offer: (words) => (isName(words[1]) ? 2 : 0),
  }),
  bunx: tool({
    reason: 'runs a program it may fetch first',
    prints: [],
    offer: (words) => (isName(words[1]) ? 2 : 0),
  }),
  uvx: tool({
    reason: 'runs a program it may fetch first',
    prints: [],
    offer: (words) => (isName(words[1]) ? 2 : 0),
  }),
  uv: packages(['--version', '-V']),
  poetry: packages(['--version', '-V']),
  pip: build('changes packages', ['--version', '-V'], {
    fetches: ['install', 'download', 'index', 'search'],
  }),
  pip3: build('changes packages', ['--version', '-V'], {
    fetches: ['install', 'download', 'index', 'search'],
  }),
  python: interpreter(['--version', '-V']),
  python3: interpreter(['--version', '-V']),
  node: interpreter(['--version', '-v']),
  ruby: interpreter(['--version', '-v']),
  perl: interpreter(['--version', '-v']),
  php: interpreter(['--version', '-v']),
  lua: interpreter(['-v']),
  java: interpreter(['--version', '-version']),
  Rscript: interpreter(['--version']),
  osascript: interpreter([]),
};
