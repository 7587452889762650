import { literalWord, type ShellWord } from '../shell-word.js';
import type { OperandRole, OperandRoles, ProgramModel, Reporter, Verdict } from './model.js';
import { type OptionSpec, type OptionTable, type ReadArguments, readArguments } from './read-arguments.js';

/** Effects for which a rule about the program itself is not enough. */
const acting: ReadonlySet<OptionSpec['effect']> = new Set(['execute', 'launch', 'write', 'refuse']);

/** Judges what a program does with these words, as far as its model tells. */
export function judge(model: ProgramModel, words: readonly ShellWord[], report: Reporter): Verdict {
  if (model.reason !== undefined) report.doubt(`${report.who} ${model.reason}`);
  if (model.network) report.network(report.who);
  if (model.examine) return model.examine(words, report) ?? {};
  const table = tableOf(model);
  const args = readArguments(words, table);
  const acts = [...table.options.values()].some(({ effect }) => acting.has(effect));
  for (const problem of args.problems) {
    const reason = `${report.who} ${problem}`;
    if (acts) report.unknownProgram(reason);
    else report.doubt(reason);
  }
  judgeExposed(args, table, report);
  judgeOptions(args, report);
  judgeOperands(model, args, report);
  return model.check?.(args, report) ?? {};
}

/**
 * Judges words that may turn into options, as `*` does with a file named `--pre=x`: harmless only where every option is.
 * A name found by a wildcard has no slash, so what it makes a program read is in the same folder.
 */
function judgeExposed(args: ReadArguments, { options }: OptionTable, report: Reporter): undefined {
  const [first] = args.exposed;
  if (first === undefined) return;
  const effects = new Set([...options.values()].map(({ effect }) => effect));
  const what = first.text === '' ? 'a word known only when it runs' : first.text;
  const reason = `${report.who} may take ${what} for an option`;
  const reads = effects.has('read') || effects.has('stray');
  const isDynamic = args.exposed.some(({ kind }) => kind !== 'glob' && kind !== 'literal');
  if ([...effects].some((effect) => acting.has(effect))) report.unknownProgram(reason);
  else if (reads && isDynamic) report.doubt(reason);
}

function judgeOptions(args: ReadArguments, report: Reporter): undefined {
  for (const { name, spec, value } of args.options) {
    const which = `\`${report.who.replaceAll('`', '')} ${name}\``;
    if (spec.effect === 'refuse' || spec.effect === 'stray') report.doubt(`${which} ${spec.why}`);
    if (spec.effect === 'launch') report.unknownProgram(`${which} ${spec.why}`);
    if (value === null) continue;
    if (spec.effect === 'read') report.read(value);
    if (spec.effect === 'write') report.write(value);
    if (spec.effect === 'execute') {
      report.doubt(`${which} runs another program`);
      report.runScript(value);
    }
  }
}

function judgeOperands(model: ProgramModel, args: ReadArguments, report: Reporter): undefined {
  const roles: OperandRoles =
    typeof model.operands === 'object' ? model.operands : { rest: model.operands ?? 'text' };
  const given = roles.unless?.split(' ') ?? [];
  const noFirst = args.options.some(({ name }) => given.includes(name));
  const first = noFirst ? undefined : roles.first;
  args.operands.forEach((word, index) => {
    const isLast = index === args.operands.length - 1;
    const role = index === 0 && first !== undefined ? first : isLast && roles.last ? roles.last : roles.rest;
    // A word that may become several stands in every place.
    const places = word.loose ? new Set([role, roles.rest, roles.last ?? role]) : [role];
    for (const each of places) useOperand({ role: each, ordinary: model.reason !== undefined }, word, report);
  });
  const others = args.operands.slice(first === undefined ? 0 : 1);
  const isImplied =
    roles.impliedWith === undefined ||
    args.options.some(({ name }) => roles.impliedWith?.split(' ').includes(name));
  if (roles.implied !== undefined && isImplied && others.every(mayVanish))
    report.read(literalWord(roles.implied));
}

/** True for a word that may be none: `$x` without quotes where it is empty. A wildcard that fits nothing stays. */
function mayVanish({ kind, loose }: ShellWord): boolean {
  return loose && kind !== 'glob';
}

interface OperandUse {
  role: OperandRole;
  ordinary: boolean;
}

function useOperand({ role, ordinary }: OperandUse, word: ShellWord, report: Reporter): undefined {
  if (role === 'read' && word.text !== '-') report.read(word);
  if (role === 'write') report.write(word, ordinary);
  if (role === 'delete') report.remove(word, ordinary);
  if (role === 'none') report.doubt(`${report.who} takes no ${word.text === '' ? 'such word' : word.text}`);
}

const tables = new WeakMap<ProgramModel, OptionTable>();

function tableOf(model: ProgramModel): OptionTable {
  const known = tables.get(model);
  if (known) return known;
  const style = model.style ?? 'gnu';
  const options = new Map<string, OptionSpec>();
  const add = (list: string | undefined, spec: Listed['spec']): undefined => {
    for (const item of list?.split(/\s+/).filter(Boolean) ?? []) addOption(options, { item, spec });
  };
  add(model.harmless, { effect: 'harmless' });
  add(model.reads, { effect: 'read' });
  add(model.writes, { effect: 'write' });
  add(model.executes, { effect: 'execute' });
  for (const [items, why] of Object.entries(model.refused ?? {})) add(items, { effect: 'refuse', why });
  for (const [items, why] of Object.entries(model.strays ?? {})) add(items, { effect: 'stray', why });
  for (const [items, why] of Object.entries(model.launches ?? {})) add(items, { effect: 'launch', why });
  const table: OptionTable = { options, style, numeric: model.numeric ?? false, letters: model.letters };
  tables.set(model, table);
  return table;
}

const marks: Readonly<Record<string, OptionSpec['takes']>> = { '=': 'value', '==': 'pair', '?': 'optional' };

interface Listed {
  item: string;
  spec: Omit<OptionSpec, 'takes'>;
}

function addOption(options: Map<string, OptionSpec>, { item, spec }: Listed): undefined {
  // `-abc` stands for -a, -b and -c.
  if (/^-[^-][^=?]+$/.test(item)) {
    for (const letter of item.slice(1)) options.set(`-${letter}`, { ...spec, takes: 'nothing' });
    return;
  }
  const [, name = item, mark = ''] = /^(.*?)(==|=|\?)?$/.exec(item) ?? [];
  const takes = marks[mark] ?? 'nothing';
  options.set(name, { ...spec, takes });
}
