import { wordSet } from '../name-lists.js';
import { literalWord, mayBeOption, type ShellWord } from '../shell-word.js';
import type { Reporter } from './model.js';

const plain = wordSet(
  '-a -and -o -or -not ! ( ) , -daystart -depth -d -empty -executable -false -ignore_readdir_race -noignore_readdir_race -ls -mount -nogroup -noleaf -nouser -nowarn -print -print0 -prune -quit -readable -true -warn -writable -xdev',
);
const withValue = wordSet(
  '-amin -atime -cmin -context -ctime -fstype -gid -group -ilname -iname -inum -ipath -iregex -iwholename -links -lname -maxdepth -mindepth -mmin -mtime -name -path -perm -printf -regex -regextype -size -type -uid -used -user -wholename -xtype',
);
const readsValue = wordSet('-anewer -cnewer -newer -samefile');
const writesValue = wordSet('-fls -fprint -fprint0');
const executes = wordSet('-exec -execdir -ok -okdir');

interface FindReading {
  at: number;
  words: readonly ShellWord[];
  starts: readonly ShellWord[];
  report: Reporter;
}

/** Judges `find`: places first, then an expression in which some words act. */
export function examineFind(all: readonly ShellWord[], report: Reporter): undefined {
  let begin = 0;
  while (/^-([HP]|O\d)$/.test(all[begin]?.text ?? '')) begin++;
  let end = begin;
  while (end < all.length && !isExpression(all[end]!)) end++;
  const starts = begin === end ? [literalWord('.')] : all.slice(begin, end);
  for (const start of starts) {
    report.read(start);
    if (mayBeOption(start) || (start.loose && start.kind !== 'glob')) {
      report.unknownProgram('`find` may take a word known only when it runs for an action');
    }
  }
  const reading: FindReading = { at: end, words: all, starts, report };
  while (reading.at < all.length) examineTerm(reading);
}

function isExpression({ kind, text, prefix }: ShellWord): boolean {
  return /^-./.test(prefix) || (kind === 'literal' && /^[(),!]$/.test(text));
}

function examineTerm(reading: FindReading): undefined {
  const { report } = reading;
  const term = reading.words[reading.at++]!;
  if (term.kind !== 'literal') {
    report.unknownProgram('`find` may take a word known only when it runs for an action');
    return;
  }
  if (plain.has(term.text)) return;
  if (executes.has(term.text)) return examineAction(term.text, reading);
  if (term.text === '-delete') {
    for (const start of reading.starts) report.remove(start);
    return;
  }
  if (term.text === '-fprintf') {
    useValue(reading, (value) => report.write(value));
    return useValue(reading);
  }
  if (withValue.has(term.text)) return useValue(reading);
  if (readsValue.has(term.text)) return useValue(reading, (value) => report.read(value));
  if (/^-newer[aBcm][aBcm]$/.test(term.text)) return useValue(reading, (value) => report.read(value));
  if (/^-newer[aBcm]t$/.test(term.text)) return useValue(reading);
  if (writesValue.has(term.text)) return useValue(reading, (value) => report.write(value));
  report.unknownProgram(`\`find\` has an unknown word ${term.text}`);
}

function useValue(reading: FindReading, use?: (value: ShellWord) => undefined): undefined {
  const value = reading.words[reading.at++];
  if (value === undefined) return reading.report.doubt('`find` lacks a value');
  if (value.loose) reading.report.unknownProgram('`find` has a value that may turn into several words');
  use?.(value);
}

/** Judges `-exec … ;` and `-exec … {} +`. A name found begins with one of the places, so it is no option. */
function examineAction(action: string, reading: FindReading): undefined {
  const { report, words: all, starts } = reading;
  const inner: ShellWord[] = [];
  for (; reading.at < all.length; reading.at++) {
    const word = all[reading.at]!;
    const isEnd =
      word.kind === 'literal' &&
      (word.text === ';' || (word.text === '+' && all[reading.at - 1]?.text === '{}'));
    if (isEnd) break;
    inner.push(word);
  }
  if (reading.at++ >= all.length) report.unknownProgram(`\`find ${action}\` has no end`);
  if (action !== '-exec') report.unknownProgram(`\`find ${action}\` runs a program for what it finds`);
  for (const start of starts) report.start(inner.map((word) => filled(word, start)));
}

function filled(word: ShellWord, start: ShellWord): ShellWord {
  if (!word.text.includes('{}')) return word;
  const found: ShellWord = { ...word, kind: 'dynamic', text: '', values: [], loose: false, prefix: '' };
  if (word.text !== '{}' || start.kind !== 'literal' || start.text === '') return found;
  return {
    ...word,
    kind: 'glob',
    text: `${start.text}/*`,
    values: [],
    prefix: start.text,
    loose: true,
    deep: 'no links',
  };
}
