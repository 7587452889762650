import { sameFor } from '../name-lists.js';
import type { ShellWord } from '../shell-word.js';
import { fileCompare, fileTest, numberCompare, textCompare, textTest } from '../test-operators.js';
import type { ProgramTable, Reporter } from './model.js';
import type { ReadArguments } from './read-arguments.js';

const versionOnly = '--help --version';

/** Programs and builtins that print what they are told, or facts about the machine. */
export const printing: ProgramTable = {
  // The walk follows `cd`.
  ...sameFor('echo true false : cd', { examine: () => undefined }),
  ...sameFor('exit break continue', { examine: plainNumbers }),
  printf: { style: 'posix', launches: { '-v=': 'sets a variable of the shell' }, check: checkFormat },
  pwd: { style: 'posix', harmless: '-LP', operands: 'none' },
  type: { style: 'posix', harmless: '-aftpP' },
  which: { style: 'exact', harmless: '-as --all' },
  seq: {
    style: 'posix',
    numeric: true,
    harmless: `-w -f= -s= --equal-width --format= --separator= ${versionOnly}`,
  },
  sleep: { harmless: versionOnly },
  basename: { harmless: `-az -s= --multiple --suffix= --zero ${versionOnly}` },
  dirname: { harmless: `-z --zero ${versionOnly}` },
  realpath: {
    harmless: `-emLPqsz --canonicalize-existing --canonicalize-missing --logical --physical --quiet --strip --no-symlinks --zero --relative-to= --relative-base= ${versionOnly}`,
    operands: 'read',
  },
  readlink: {
    harmless: `-femnqsvz --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --silent --verbose --zero ${versionOnly}`,
    operands: 'read',
  },
  date: {
    harmless: `-uR -d= -I? --date= --utc --universal --rfc-email --iso-8601? --rfc-3339= --debug --resolution ${versionOnly}`,
    reads: '-r= --reference= -f= --file=',
    launches: { '-s= --set=': 'sets the clock' },
    check: ({ operands, options }, report) => {
      if (operands.some(({ prefix }) => !prefix.startsWith('+')))
        report.unknownProgram('`date` may set the clock');
      const plain = operands.length === 1 && plainDate.test(operands[0]!.text) && options.length === 0;
      return plain ? { prints: 'token' } : {};
    },
  },
  uname: {
    harmless: `-asnrvmpio --all --kernel-name --nodename --kernel-release --kernel-version --machine --processor --hardware-platform --operating-system ${versionOnly}`,
    operands: 'none',
  },
  hostname: {
    harmless: '-sfdiI --short --fqdn --long --domain --ip-address --all-ip-addresses',
    check: ({ operands, options }, report) => {
      // A name that no file of the machine holds is asked for over the network.
      if (options.some(({ name }) => /^(-[fdi]|--(fqdn|long|domain|ip-address))$/.test(name)))
        report.network(report.who);
      if (operands.length > 0) report.unknownProgram('`hostname` sets the name of the machine');
      return undefined;
    },
  },
  whoami: { harmless: versionOnly, operands: 'none' },
  id: { harmless: `-agGnruzZ --group --groups --name --real --user --zero --context ${versionOnly}` },
  groups: { harmless: versionOnly },
  nproc: { harmless: `--all --ignore= ${versionOnly}`, operands: 'none', check: () => ({ prints: 'token' }) },
  arch: { harmless: versionOnly, operands: 'none' },
  uptime: { harmless: '-ps --pretty --since -h -V --help --version', operands: 'none' },
  free: {
    harmless:
      '-bkmghltvw --bytes --kilo --mega --giga --kibi --mebi --gibi --human --si --lohi --total --committed --wide --help -V --version',
    operands: 'none',
  },
  lscpu: { harmless: '-aJyx -e? -p? --all --json --help -V --version', operands: 'none' },
  locale: { harmless: '-akmc --all-locales --keyword-name --charmaps' },
  getconf: { harmless: '-a', operands: 'text' },
  cal: { harmless: '-13jmsy', operands: 'text' },
  tty: { harmless: '-s --silent --quiet', operands: 'none' },
  ps: { examine: processes },
  printenv: { reason: 'prints the environment', operands: 'text', harmless: '-0 --null' },
  test: { examine: examineTest },
  '[': {
    examine: (words, report) => {
      if (words.at(-1)?.text !== ']') report.doubt('`[` is not closed');
      return examineTest(words.slice(0, -1), report);
    },
  },
};

/** A format that gives one word, which begins with a letter or a digit and leads nowhere. */
const plainDate = /^\+(?:%[FHMNSTVYdjmsuy]|\w)(?:%[FHMNSTVYdjmsuy]|[\w:-]|\.(?!\.))*$/;

/** Refuses `%n`, which sets the variable that a word names, PATH too. */
function checkFormat({ operands: [format] }: ReadArguments, report: Reporter): undefined {
  if (format === undefined) return;
  const conversions = format.text.replaceAll('%%', '');
  if (format.kind === 'literal' && !/%[-+ #'*.\d]*[hjlLtz]*n/.test(conversions)) return;
  report.unknownProgram('`printf` has a format that may set a variable of the shell');
}

function plainNumbers(words: readonly ShellWord[], report: Reporter): undefined {
  if (!words.every(({ kind, text }) => kind === 'literal' && /^\d{1,3}$/.test(text))) {
    report.doubt(`${report.who} takes a plain number`);
  }
}

const processFields =
  'pid|ppid|pgid|tty|tt|stat|state|user|uid|comm|args|cmd|command|time|etime|start|rss|vsz|%cpu|%mem|pcpu|pmem|ni|nlwp';
const processWord = new RegExp(
  `^(-[AaeFflLpNTwuxHjo]+|[auxfwjl]+|[\\d,]+|((${processFields})=?,?)+|--sort=-?(${processFields})|--no-headers|--forest)$`,
);

/** `ps e`, without a dash, prints the environment of other programs. */
function processes(words: readonly ShellWord[], report: Reporter): undefined {
  if (!words.every(({ kind, text }) => kind === 'literal' && processWord.test(text))) {
    report.doubt('`ps` has an option that is not known to be harmless');
  }
}

/**
 * Judges one comparison, perhaps negated. A word known only at run time may stand where it can't become an operator:
 * `-v` with a subscript would run commands.
 */
function examineTest(words: readonly ShellWord[], report: Reporter): undefined {
  const unsure = (): undefined => report.unknownProgram('`test` is not simple enough to be sure about');
  const [first, second, third, more] = words[0]?.text === '!' ? words.slice(1) : words;
  if (more !== undefined || words.some((word) => word.loose)) return unsure();
  if (first === undefined || second === undefined) return undefined;
  if (third === undefined) {
    if (first.kind === 'literal' && textTest.test(first.text)) return undefined;
    if (first.kind !== 'literal' || !fileTest.test(first.text)) return unsure();
    report.read(second);
    return undefined;
  }
  if (second.kind !== 'literal') return unsure();
  if (textCompare.test(second.text) || numberCompare.test(second.text)) return undefined;
  if (!fileCompare.test(second.text)) return unsure();
  report.read(first);
  report.read(third);
  return undefined;
}
