import { literalWord, mayBeOption, type ShellWord } from '../shell-word.js';

export type OptionEffect = 'harmless' | 'read' | 'write' | 'execute' | 'launch' | 'refuse' | 'stray';

export interface OptionSpec {
  effect: OptionEffect;
  /** pair: a name and a value, of which the second counts. */
  takes: 'nothing' | 'value' | 'pair' | 'optional';
  why?: string;
}

export interface OptionTable {
  options: ReadonlyMap<string, OptionSpec>;
  style: 'gnu' | 'exact' | 'posix';
  numeric: boolean;
  letters?: 'single' | 'no-values';
}

export interface FoundOption {
  name: string;
  spec: OptionSpec;
  value: ShellWord | null;
}

export interface ReadArguments {
  options: readonly FoundOption[];
  operands: readonly ShellWord[];
  /** Words that may turn out to be options. */
  exposed: readonly ShellWord[];
  problems: readonly string[];
}

interface ArgumentReading {
  table: OptionTable;
  words: readonly ShellWord[];
  at: number;
  options: FoundOption[];
  operands: ShellWord[];
  exposed: ShellWord[];
  problems: string[];
}

/** Reads words as the program itself would: clusters, abbreviations, `--`, attached and separate values. */
export function readArguments(words: readonly ShellWord[], table: OptionTable): ReadArguments {
  const reading: ArgumentReading = {
    table,
    words,
    at: 0,
    options: [],
    operands: [],
    exposed: [],
    problems: [],
  };
  while (reading.at < words.length) {
    const word = words[reading.at++]!;
    if (word.kind === 'literal' && word.text === '--') {
      reading.operands.push(...words.slice(reading.at));
      break;
    }
    if (isOption(word)) readOption(reading, word);
    else {
      if (mayBeOption(word)) reading.exposed.push(word);
      reading.operands.push(word);
      if (table.style === 'posix') {
        reading.operands.push(...words.slice(reading.at));
        break;
      }
    }
  }
  return reading;
}

function isOption(word: ShellWord): boolean {
  return word.prefix.length > 1 && word.prefix.startsWith('-');
}

function readOption(reading: ArgumentReading, word: ShellWord): undefined {
  if (word.kind !== 'literal') return readPartlyKnown(reading, word);
  if (word.text.startsWith('--')) {
    const equals = word.text.indexOf('=');
    const name = equals === -1 ? word.text : word.text.slice(0, equals);
    const attached = equals === -1 ? null : literalWord(word.text.slice(equals + 1));
    return takeLong(reading, name, attached);
  }
  readCluster(reading, word.text);
}

/** `--include=*.ts`: the option is known, its value is not. */
function readPartlyKnown(reading: ArgumentReading, word: ShellWord): undefined {
  const name = /^(--[a-z][a-z-]*)=/.exec(word.prefix)?.[1];
  if (name === undefined) {
    reading.exposed.push(word);
    reading.problems.push('has an option known only when it runs');
    return;
  }
  const skip = name.length + 1;
  takeLong(reading, name, {
    ...word,
    text: word.text.slice(skip),
    prefix: word.prefix.slice(skip),
    values: word.values.map((value) => value.slice(skip)),
  });
}

function takeLong(reading: ArgumentReading, written: string, attached: ShellWord | null): undefined {
  const name = fullName(reading.table, written);
  const spec = name === undefined ? undefined : reading.table.options.get(name);
  if (name === undefined || spec === undefined) {
    reading.problems.push(`has an unknown option ${written}`);
    return;
  }
  if ((spec.takes === 'nothing' || spec.takes === 'pair') && attached !== null) {
    reading.problems.push(`has an unknown option ${written}=`);
    return;
  }
  const value = attached ?? valueAfter(reading, name, spec);
  reading.options.push({ name, spec, value });
}

function valueAfter(reading: ArgumentReading, name: string, { takes }: OptionSpec): ShellWord | null {
  if (takes === 'pair') nextWord(reading, name);
  return takes === 'value' || takes === 'pair' ? nextWord(reading, name) : null;
}

/** GNU programs take any beginning that fits one option alone. */
function fullName({ options, style }: OptionTable, written: string): string | undefined {
  if (options.has(written) || style === 'exact') return written;
  const fitting = [...options.keys()].filter((name) => name.startsWith(written) && name.startsWith('--'));
  return fitting.length === 1 ? fitting[0] : undefined;
}

function readCluster(reading: ArgumentReading, text: string): undefined {
  if (reading.table.numeric && /^-\d+$/.test(text)) return;
  for (let index = 1; index < text.length; index++) {
    const name = `-${text[index]}`;
    const spec = reading.table.options.get(name);
    if (spec === undefined) {
      reading.problems.push(`has an unknown option ${name}`);
      return;
    }
    const rest = text.slice(index + 1);
    if (rest !== '' && isReadOtherwise(reading.table, spec, rest)) {
      reading.problems.push(`has letters behind ${name} that are not followed`);
      return;
    }
    if (spec.takes === 'nothing') {
      reading.options.push({ name, spec, value: null });
      continue;
    }
    const attached = rest === '' ? null : literalWord(rest);
    const value = attached ?? valueAfter(reading, name, spec);
    reading.options.push({ name, spec, value });
    return;
  }
}

function isReadOtherwise({ letters }: OptionTable, { takes }: OptionSpec, rest: string): boolean {
  if (letters === 'single') return takes === 'nothing';
  return letters === 'no-values' && takes !== 'nothing' && !/^\d+$/.test(rest);
}

/** `-5` is a number, and `-2 days` a time. */
function looksLikeOption(word: ShellWord): boolean {
  return mayBeOption(word) && !(word.kind === 'literal' && /^-\d/.test(word.text));
}

function nextWord(reading: ArgumentReading, name: string): ShellWord | null {
  const word = reading.words[reading.at++];
  if (word === undefined) reading.problems.push(`lacks a value for ${name}`);
  else if (word.loose) {
    reading.problems.push(`has a value for ${name} that may turn into several words`);
    reading.exposed.push(word);
  } else if (reading.table.style !== 'exact' && looksLikeOption(word)) {
    // Options and versions differ in whether the value may be a word of its own: where it may not, this is an option.
    reading.exposed.push(word);
  }
  return word ?? null;
}
