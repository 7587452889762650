import { literalWord, type ShellWord, unknownWord } from '../shell-word.js';
import { judge } from './judge.js';
import type { ProgramModel, ProgramTable, Reporter } from './model.js';
import { mayStartAny, shells, starters } from './starting/starters.js';

/** The model of a program that starts another one, which follows its options and `operandsBefore` operands. */
function wrapper(model: ProgramModel, operandsBefore = 0): ProgramModel {
  return {
    ...model,
    style: 'posix',
    offer: 0,
    check: ({ operands, problems }, report) => {
      if (problems.length > 0) mayStartAny(operands, report);
      const before = operands.slice(0, operandsBefore);
      if (before.some(({ kind }) => kind !== 'literal'))
        report.unknownProgram(`${report.who} may start anything`);
      else if (operands.length > operandsBefore) report.start(operands.slice(operandsBefore));
      return undefined;
    },
  };
}

const sudo: ProgramModel = wrapper({
  reason: 'runs a program as another user',
  harmless:
    '-AbEHknPS -u= -g= -h= -p= -C= -r= -t= -T= -U= --user= --group= --preserve-env? --non-interactive --login --shell',
  launches: { '-s -i -e --edit': 'starts a shell or an editor' },
});

/** Programs that start other programs: what they start is judged and listed as a command of its own. */
export const wrappers: ProgramTable = {
  env: { offer: 0, examine: examineEnv },
  timeout: wrapper(
    {
      harmless:
        '-v -k= -s= --kill-after= --signal= --foreground --preserve-status --verbose --help --version',
    },
    1,
  ),
  nice: wrapper({ numeric: true, harmless: '-n= --adjustment= --help --version' }),
  ionice: wrapper({ harmless: '-t -c= -n= --class= --classdata= --ignore' }),
  stdbuf: wrapper({ harmless: '-i= -o= -e= --input= --output= --error= --help --version' }),
  time: wrapper({
    harmless: '-apvqV -f= --format= --append --portability --verbose --quiet',
    writes: '-o= --output=',
  }),
  nohup: wrapper({ reason: 'may write nohup.out', harmless: '--help --version' }),
  setsid: wrapper({
    reason: 'starts a program that outlives the command',
    harmless: '-cfw --ctty --fork --wait',
  }),
  chrt: wrapper({ harmless: '-abefiomprRv' }, 1),
  taskset: wrapper({ harmless: '-ac --all-tasks --cpu-list' }, 1),
  command: {
    offer: 0,
    style: 'posix',
    reason: 'changes how a name is looked up',
    harmless: '-pvV',
    check: startUnlessAsked,
  },
  builtin: wrapper({ reason: 'changes how a name is looked up' }),
  exec: wrapper({ reason: 'replaces the shell', harmless: '-cl -a=' }),
  sudo,
  doas: sudo,
  xargs: { offer: 0, examine: examineXargs },
  eval: { offer: 0, examine: examineEval },
  trap: {
    offer: 0,
    reason: 'changes the shell',
    examine: (words, report) => words[0] && report.runScript(words[0]),
  },
  ...shells,
  ...starters,
};

function startUnlessAsked(
  { options, operands }: { options: readonly { name: string }[]; operands: readonly ShellWord[] },
  report: Reporter,
): undefined {
  if (!options.some(({ name }) => name === '-v' || name === '-V')) report.start(operands);
}

const envOptions: ProgramModel = {
  style: 'posix',
  harmless: '-0v --null --debug --help --version --list-signal-handling',
  launches: {
    '-S= --split-string=': 'splits a command by itself',
    '-C= --chdir=': 'runs a program elsewhere',
    '-a= --argv0=': 'runs a program by another name',
    // Among what they remove is what keeps an automatic git from starting programs.
    '-i -u= --ignore-environment --unset=': 'takes the environment away',
  },
};

function examineEnv(words: readonly ShellWord[], report: Reporter): undefined {
  let at = 0;
  if (words.some(({ text }) => text === '-')) report.unknownProgram('`env -` takes the environment away');
  while (at < words.length && words[at]!.prefix.startsWith('-'))
    at += /^(-\w*[uCSa]|--(unset|chdir|split-string|argv0))$/.test(words[at]!.text) ? 2 : 1;
  judge(envOptions, words.slice(0, at), report);
  mayStartAny(words.slice(0, at), report);
  for (; at < words.length && /^[A-Za-z_]\w*=/.test(words[at]!.prefix); at++) {
    const word = words[at]!;
    report.assign(word.kind === 'literal' ? word.text : `${word.prefix.split('=')[0]}=$`);
  }
  if (at < words.length) report.start(words.slice(at));
  else report.doubt('`env` prints the environment');
}

const xargsOptions: ProgramModel = {
  style: 'posix',
  harmless:
    '-0rtx -E= -I= -L= -P= -d= -n= -s= -i? -l? -e? --null --delimiter= --eof? --replace? --max-lines? --max-args= --max-procs= --no-run-if-empty --max-chars= --verbose --exit --show-limits --help --version',
  reads: '-a= --arg-file=',
  launches: { '-p -o --interactive --open-tty': 'asks at the terminal' },
  check: ({ operands, options }, report) => {
    const [mark, ...others] = options.filter(({ name }) =>
      /^(-I|-i|-n|-L|-l|--replace|--max-(args|lines))$/.test(name),
    );
    // Of these the last one counts, and they decide where the words that are read will stand.
    if (others.length > 0) report.unknownProgram('`xargs` has options of which only the last one counts');
    if (mark?.value && mark.value.kind !== 'literal')
      report.unknownProgram('`xargs` puts words in a place known only when it runs');
    const place = mark && /^(-I|-i|--replace)$/.test(mark.name) ? (mark.value?.text ?? '{}') : null;
    const words = operands.length > 0 ? operands : [literalWord('echo')];
    const filled = words.map((word) =>
      place !== null && word.text.includes(place) ? { ...unknownWord, loose: false } : word,
    );
    report.start(place === null ? [...words, unknownWord] : filled);
    return undefined;
  },
};

function examineXargs(words: readonly ShellWord[], report: Reporter): undefined {
  judge(xargsOptions, words, report);
}

function examineEval(words: readonly ShellWord[], report: Reporter): undefined {
  report.doubt('`eval` runs text as a command');
  const known = words.every(({ kind }) => kind === 'literal');
  report.runScript(known ? literalWord(words.map(({ text }) => text).join(' ')) : unknownWord);
}
