/** The words of one simple command, quotes removed; null for a word that is known only at run time. */
export type CommandWords = readonly (string | null)[];

/**
 * A change that a command line declares: as the program's purpose (`rm a`), or by the way, through an option or a
 * redirection (`sort -o a`, `… > a`), which no rule about the program covers.
 */
export type DeclaredChange = 'purpose' | 'by the way';

/** A command that a rule for its first words does not cover, because a later word names another program, file or path. */
export interface BeyondRule {
  words: CommandWords;
  /** Number of words a rule must spell to cover it; more than the command has if no rule can. */
  spelled: number;
  /** Folders it may run in that need a rule of their own, `Shell(cd FOLDER)`. */
  folders: readonly string[];
  /** The reason, as the user reads it. */
  why: string;
}

/** Something outside the sandbox that a command wants to use. Hosts as in settings: `example.org`, `example.org:8443`. */
export type OutsideAccess =
  | {
      access: 'read' | 'write';
      path: string /** The path is a folder, and everything in it counts. */;
      folder?: true;
    }
  | { access: 'ssh-agent' }
  | { access: 'host'; host: string };

/** A target of a call. Paths are absolute. A staged change was found by running a command on a copy. */
export type Effect =
  | { kind: 'read'; path: string }
  | {
      kind: 'write';
      path: string;
      declared?: DeclaredChange;
      staged?: true;
      /** Git ignored the file before the command ran, and nothing else about it deserves a question. */
      ignored?: true;
      /** A link that leads out of the roots. */
      leaves?: true;
    }
  | { kind: 'delete'; path: string; declared?: DeclaredChange; staged?: true }
  | {
      kind: 'execute';
      command: string;
      directory: string;
      /** Proven to do nothing but read. */
      readOnly: boolean;
      /** The command line only reads, but the circumstances (`doubts`) keep it from running unasked. */
      onlyReads?: true;
      network: boolean;
      background: boolean;
      /** The simple commands in it; null if the command line could not be parsed. */
      commands: readonly CommandWords[] | null;
      /** The commands that a rule must cover because they are not proven harmless; all of them if absent. */
      unproven?: readonly CommandWords[];
      /** The commands that a rule does not cover although its words fit, because a later word reaches further. */
      beyond?: readonly BeyondRule[];
      /** Leading words to offer as rules, one list for each command that a rule must cover. */
      offers?: readonly (readonly string[])[];
      /** Reasons why it is not proven to only read, as the user reads them. */
      doubts?: readonly string[];
      /** Set when nothing confines it: no sandbox was found, or the user chose to do without one. */
      unconfined?: 'missing' | 'chosen';
      /** The user typed it. */
      own?: true;
      /** The command ran on a copy: its changes are further effects of the call, and nothing is kept yet. */
      staged?: true;
    }
  /** The note tells the user what to know before agreeing. */
  | ({ kind: 'outside'; note?: string } & OutsideAccess)
  | { kind: 'network'; host: string; port: number; url: string }
  | { kind: 'mcp'; server: string; tool: string }
  | { kind: 'memory'; scope: 'global' | 'project'; path: string };
