/** The words of a program that a rule for it must spell. Lists are written `-f= --file= -q`: `=` takes a value, `?` may. */
export interface ProgramReach {
  /** Options that name another program, code, a file to run or to take settings from, or a place. */
  reaches?: string;
  /**
   * Options that are known to name none of these; a value with `=` is text, one with `~` is text unless it looks like
   * a path: `--reporter=verbose`.
   */
  plain?: string;
  /** Operands that reach further: `CC=./x` for make. */
  operands?: RegExp;
  /** An operand that begins with a plus is a command: `vim +q`. */
  plus?: true;
  /** Options are words behind a single dash: `-exec`. */
  words?: true;
  /** Dashes and `no-` before a name mean little: `-prefix x` and `--no-prefix x` are `--prefix x`. */
  looseNames?: true;
  /** The program's own options count behind the program that it starts, too. */
  anywhere?: true;
  /** After so many operands words belong to what the program runs. */
  passesOn?: number;
  /** Sub-commands whose options are others than those before them; `*` is any that is not named. */
  subs?: Readonly<Record<string, ProgramReach>>;
}

export type ReachTable = Readonly<Record<string, ProgramReach>>;

export interface KnownOption {
  reaches: boolean;
  /** name: a value that reaches where it looks like a path. */
  takes: 'nothing' | 'value' | 'optional' | 'name';
}

const marks: Readonly<Record<string, KnownOption['takes']>> = { '=': 'value', '?': 'optional', '~': 'name' };

const tables = new WeakMap<ProgramReach, ReadonlyMap<string, KnownOption>>();

export function tableOf(program: ProgramReach): ReadonlyMap<string, KnownOption> {
  const known = tables.get(program);
  if (known) return known;
  const table = new Map<string, KnownOption>();
  for (const [list, reaches] of [
    [program.plain, false],
    [program.reaches, true],
  ] as const) {
    for (const item of list?.split(/\s+/).filter(Boolean) ?? []) {
      const mark = /[=?~]$/.exec(item)?.[0];
      table.set(mark ? item.slice(0, -1) : item, { reaches, takes: mark ? marks[mark]! : 'nothing' });
    }
  }
  tables.set(program, table);
  return table;
}
