import type { ShellWord } from '../shell-word.js';
import type { ReadArguments } from './read-arguments.js';

/** The model of one program: its options and what they do. Everything not named in it is a doubt. */
export interface ProgramModel {
  /**
   * Options that change only what is printed. `-n=` takes a value, `--color?` may take one after `=`, others none.
   * The same notation holds for the lists below.
   */
  harmless?: string;
  /** Options whose value names a file that is read. */
  reads?: string;
  /** Options whose value names a file or folder that is written. */
  writes?: string;
  /** Options whose value is a command line that is run. */
  executes?: string;
  /** Options that are never used without asking, with what they do, for the user. */
  refused?: Readonly<Record<string, string>>;
  /** The same for options that may read elsewhere: links followed, files named in a list. */
  strays?: Readonly<Record<string, string>>;
  /** The same for options that start programs: a rule for this program does not cover them. */
  launches?: Readonly<Record<string, string>>;
  /**
   * gnu: options anywhere, long ones may be cut short. exact: options anywhere, spelled in full. posix: none after the
   * first operand.
   */
  style?: 'gnu' | 'exact' | 'posix';
  /** `-5` is a number. */
  numeric?: boolean;
  /**
   * Reading of several letters behind one dash, where it is unusual. single: only the first is an option. no-values: the
   * value of a letter is the next word, never the rest of the letters.
   */
  letters?: 'single' | 'no-values';
  operands?: OperandRole | OperandRoles;
  /** The reason, for the user, why the program is always asked about, whatever its arguments. */
  reason?: string;
  /** Reaches the network whatever the arguments. */
  network?: boolean;
  /** Judges what a table can't express. */
  check?(args: ReadArguments, report: Reporter): Verdict | undefined;
  /** Judges all words itself, where they have a grammar of their own. */
  examine?(words: readonly ShellWord[], report: Reporter): Verdict | undefined;
  /** Number of leading words in a rule for it: 1 for the program alone, 0 to offer none. */
  offer?: number | ((words: readonly string[]) => number);
  /** Index of the started program in `words`; 0 if none. A rule then covers that program. */
  starts?(words: readonly string[]): number;
}

export type OperandRole = 'none' | 'text' | 'read' | 'write' | 'delete';

export interface OperandRoles {
  first?: OperandRole;
  rest: OperandRole;
  last?: OperandRole;
  /** Options with which the first operand is like the rest. */
  unless?: string;
  /** The path that is read when there is no operand (but the first), or none that is certain to be there. */
  implied?: string;
  /** Options without which `implied` does not count. */
  impliedWith?: string;
}

/** token: prints one word that is no option, no path outside and no pattern. name: one that may be an option. */
export interface Verdict {
  prints?: 'token' | 'name';
}

export interface Reporter {
  /** The name of the program in backticks. */
  who: string;
  doubt(reason: string): undefined;
  read(word: ShellWord): undefined;
  /** `ordinary`: changing this is what the program is for. */
  write(word: ShellWord, ordinary?: boolean): undefined;
  remove(word: ShellWord, ordinary?: boolean): undefined;
  network(what: string): undefined;
  /** Reports that another program is started with these words. */
  start(words: readonly ShellWord[]): undefined;
  /** Reports a command line that is run from text. */
  runScript(word: ShellWord): undefined;
  /** The same for programs that may be started: rules that ask or deny look at them, none has to allow them. */
  mayStart(words: readonly ShellWord[]): undefined;
  mayRun(text: string): undefined;
  /** Reports a program whose name is known only when it runs. */
  unknownProgram(reason: string): undefined;
  /** Reports an assignment for a program that is started. */
  assign(text: string): undefined;
  /** Looks whether the repository itself makes git start programs. False where there is none. */
  gitConfiguration(directory: ShellWord | null): boolean;
  /** Reads a path that may be meant from here or from the top of the repository; the empty one is all of its files. */
  readInRepository(path: string): undefined;
  force(environment: Readonly<Record<string, string>>): undefined;
}

export type ProgramTable = Readonly<Record<string, ProgramModel>>;
