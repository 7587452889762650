import type { BeyondRule, CommandWords } from '../base/effect.js';

/** The effects of a command line, found without running it. Paths are absolute. */
export interface ShellAnalysis {
  /** Why the line can't be run at all; null when it can. */
  refused: string | null;
  /**
   * Every simple command as words, those that another one starts (`env`, `xargs`, `find -exec`, `bash -c`) as entries of
   * their own. `[null]` stands for a program known only when it runs: no rule covers it. Null: the line could not be read.
   */
  commands: readonly CommandWords[] | null;
  /** The entries of `commands` that are not proven harmless by themselves. */
  unproven: readonly CommandWords[];
  /** The entries of `unproven` that a rule covers only when it spells more than their first words. */
  beyond: readonly BeyondRule[];
  /** Reasons why it is not proven to only read inside the roots: short sentences for the user. */
  doubts: readonly string[];
  /** Proven to only read: there are no doubts. */
  readOnly: boolean;
  /**
   * Paths that operands, options and redirections name, as written and after links; a glob counts as its folder,
   * with what links in that folder lead to elsewhere.
   */
  reads: readonly string[];
  writes: readonly string[];
  deletes: readonly string[];
  /**
   * The members of `writes` and `deletes` that are what the program is for: the operands of `cp`, `rm`, `mkdir`. A rule for the program
   * covers them, but not what an option or a redirection writes.
   */
  ordinary: readonly string[];
  /** Programs and hosts that reach the network, for the user; empty when none is known to. */
  network: readonly string[];
  /** Part of it goes on in the background (`&`). */
  background: boolean;
  /** The line written again from the tree, every literal quoted: what runs when nobody is asked. Null unless readOnly. */
  canonical: string | null;
  /** Variables that an automatic run needs; empty unless readOnly. */
  environment: Readonly<Record<string, string>>;
  /** Leading words worth offering as `Shell(…)` rules: one list for each unproven command; empty when one has no offer. */
  offers: readonly (readonly string[])[];
  /** Texts of the line that a program in it runs, or may run, as a command line: `bash -c`, `eval`, `trap`. */
  scripts: readonly string[];
}

export interface AnalysisContext {
  directory: string;
  roots: readonly string[];
  home: string;
  /** A path after links, as far as it exists; without it links are not seen. */
  realPath?(path: string): string;
  /**
   * The names in a folder, none where there is no such folder; null when there are more than `most`. Without it links
   * among the names that a wildcard stands for are not seen.
   */
  entriesOf?(
    folder: string,
    most: number,
  ): readonly { name: string; kind: 'link' | 'folder' | 'other' }[] | null;
  /**
   * The texts of the configuration files inside of the git repository that a folder belongs to; null when they can't be
   * read. Without it they are not looked at.
   */
  gitConfigurations?(directory: string): readonly string[] | null;
}
