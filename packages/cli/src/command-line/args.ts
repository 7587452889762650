import { parseArgs } from 'node:util';
import { didYouMean, nearest } from '@toolwright/core/front-end';
import { UsageError } from '../base/exit-codes.js';
import { commonFlags, type Flag, promptFlags } from './flags.js';

/** A command line, checked against the flags that the command knows. */
export interface Arguments {
  words: string[];
  switches: ReadonlySet<string>;
  values: ReadonlyMap<string, string>;
  lists: ReadonlyMap<string, string[]>;
}

export function parseCommandLine(
  args: readonly string[],
  flags: readonly Flag[],
  program = 'toolwright',
): Arguments {
  const known = [...flags, ...commonFlags];
  const { tokens } = parseArgs({
    args: withEmptyValues(args, known),
    options: optionsOf(known),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const result = {
    words: [] as string[],
    switches: new Set<string>(),
    values: new Map<string, string>(),
    lists: new Map<string, string[]>(),
  };
  for (const token of tokens) {
    if (token.kind === 'positional') result.words.push(token.value);
    if (token.kind !== 'option') continue;
    const flag = known.find(({ name }) => name === token.name);
    if (!flag) throw unknownFlag(token.rawName, known, program);
    take(flag, token.value, result);
  }
  return result;
}

/** A word too many is a mistake: left out silently it would look as if it had counted. */
export function refuseFurther(words: readonly string[], after: string): void {
  const [first] = words;
  if (first !== undefined)
    throw new UsageError(`${after} takes no more arguments, but got ${JSON.stringify(first.slice(0, 100))}.`);
}

function take(
  flag: Flag,
  value: string | undefined,
  result: { switches: Set<string>; values: Map<string, string>; lists: Map<string, string[]> },
): void {
  if (!flag.value) {
    if (value !== undefined) throw new UsageError(`--${flag.name} takes no value.`);
    result.switches.add(flag.name);
    return;
  }
  if (value === undefined)
    throw new UsageError(`--${flag.name} needs a value: --${flag.name} ${flag.value}.`);
  if (flag.choices && !flag.choices.includes(value)) {
    throw new UsageError(`--${flag.name} ${value}: must be one of ${flag.choices.join(', ')}.`);
  }
  if (!flag.list && !flag.repeated) {
    if (result.values.has(flag.name)) throw new UsageError(`--${flag.name} was given twice.`);
    result.values.set(flag.name, value);
    return;
  }
  const items = flag.repeated ? [value] : splitList(value);
  result.lists.set(flag.name, [...(result.lists.get(flag.name) ?? []), ...items]);
}

/** Splits at commas, but not inside the parentheses of a rule such as `Edit(a,b)`. */
function splitList(text: string): string[] {
  return text
    .split(/,(?![^(]*\))/)
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** A flag whose value may be left out takes the next word only when that is not a flag. */
function withEmptyValues(args: readonly string[], flags: readonly Flag[]): string[] {
  const optional = new Set(flags.filter((flag) => flag.optional).map(({ name }) => `--${name}`));
  return args.map((word, index) => {
    const next = args[index + 1];
    return optional.has(word) && (next === undefined || next.startsWith('-')) ? `${word}=` : word;
  });
}

function optionsOf(flags: readonly Flag[]) {
  return Object.fromEntries(
    flags.map(({ name, short, value }) => {
      const type = value ? ('string' as const) : ('boolean' as const);
      // The parser of Node refuses a member that is undefined.
      return [name, short === undefined ? { type } : { type, short }];
    }),
  );
}

/** A prompt in quotes, or several words none of which is nearly a command; one unknown word is a mistake. */
export function isPrompt(args: readonly string[], commands: readonly string[]): boolean {
  const [first = ''] = args;
  if (/\S\s+\S/.test(first)) return true;
  const words = args.filter((word) => !word.startsWith('-'));
  // Short words are near to each other by chance.
  return words.length > 2 && (first.length < 4 || nearest(first, commands).length === 0);
}

export function unknownCommand(args: readonly string[], commands: readonly string[]): UsageError {
  const [typed = ''] = args;
  if (typed.trim() === '') return new UsageError('The prompt is empty. To ask something: toolwright "…".');
  const ask =
    args.length > 1
      ? `To ask something, put it in quotes: toolwright "${args.join(' ')}".`
      : `To ask something: toolwright -p "${typed}".`;
  const near = didYouMean(nearest(typed, commands));
  const hint = args.length > 1 ? `${near} ${ask}`.trim() : near || ask;
  return new UsageError(`There is no command ${typed}. ${hint}`);
}

/** What other agents call a flag of ours. */
const calledElsewhere: Readonly<Record<string, string>> = {
  json: '--output-format json',
  yes: '--yolo',
  'dangerously-skip-permissions': '--yolo',
  'permission-mode': '--approval-mode',
  cwd: '--workspace',
  'add-dir': '--include-directories',
  verbose: '--debug',
};

/** `program` is the command whose help lists the flags. */
function unknownFlag(typed: string, known: readonly Flag[], program: string): UsageError {
  const wanted = typed.replace(/^-+/, '');
  const names = known.map(({ name }) => name);
  const begun = names.filter((name) => name.startsWith(wanted) || wanted.startsWith(name));
  // Short words are near to each other by chance.
  const near = begun.length > 0 || wanted.length < 3 ? begun : nearest(wanted, names, 1);
  const elsewhere = promptFlags.some(({ name }) => name === wanted)
    ? 'It goes with a prompt, not with this command.'
    : '';
  const ours = Object.hasOwn(calledElsewhere, wanted) ? calledElsewhere[wanted]! : '';
  const isOurs = names.some((name) => ours.split(' ')[0] === `--${name}`);
  const hint = didYouMean(isOurs ? [ours] : near.slice(0, 1).map((name) => `--${name}`)) || elsewhere;
  return new UsageError(
    [`Unknown flag ${typed}.`, hint, `${program} --help lists the flags.`].filter(Boolean).join(' '),
  );
}
