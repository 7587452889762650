import { foreignText } from './sentences/foreign-text.js';

/** The words of one simple command, quotes removed; null for a word that is known only when it runs. */
export type CommandWords = readonly (string | null)[];

/**
 * A change that stands in the words of a command: it is what the program is for (`rm a`), or it happens by the way, by
 * an option or a redirection (`sort -o a`, `… > a`), which no rule about the program covers.
 */
export type DeclaredChange = 'purpose' | 'by the way';

/** What a rule for the first words of a command leaves open: a later word names another program, file or place. */
export interface BeyondRule {
  words: CommandWords;
  /** How many words a rule has to spell to cover it; more than the command has where none can. */
  spelled: number;
  /** Folders it may run in that are not what a rule is about; each must be named by a rule `Shell(cd FOLDER)`. */
  folders: readonly string[];
  /** For a person. */
  why: string;
}

/** Something beyond the sandbox that a command is to reach. A host as in settings: `example.org`, `example.org:8443`. */
export type OutsideAccess =
  | { access: 'read' | 'write'; path: string /** With all that is in it. */; folder?: true }
  | { access: 'ssh-agent' }
  | { access: 'host'; host: string };

/** One thing a call does to the world. Paths are absolute. A staged change was found by running a command apart. */
export type Effect =
  | { kind: 'read'; path: string }
  | {
      kind: 'write';
      path: string;
      declared?: DeclaredChange;
      staged?: true;
      /** Git ignored the file before the command ran, and nothing else about it deserves a question. */
      ignored?: true;
      /** A link to a place outside the folders to work in. */
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
      /** Every simple command in it; null where the command line could not be read. */
      commands: readonly CommandWords[] | null;
      /** Those of them that a rule must cover because they are not proven harmless; all, where this is not told. */
      unproven?: readonly CommandWords[];
      /** The commands among them that a rule does not cover although its words fit, because a later word reaches further. */
      beyond?: readonly BeyondRule[];
      /** Leading words worth remembering as rules, one list for each command that a rule must cover. */
      offers?: readonly (readonly string[])[];
      /** Why it is not proven to only read, for a person. */
      doubts?: readonly string[];
      /** Nothing confines it: no sandbox was found, or the person chose to do without one. */
      unconfined?: 'missing' | 'chosen';
      /** The person typed it. */
      own?: true;
      /** It ran apart from the workspace: what it would change is listed beside it, and nothing is kept yet. */
      staged?: true;
    }
  /** The note says what a person should know of it before they agree. */
  | ({ kind: 'outside'; note?: string } & OutsideAccess)
  | { kind: 'network'; host: string; port: number; url: string }
  | { kind: 'mcp'; server: string; tool: string }
  | { kind: 'memory'; scope: 'global' | 'project'; path: string };

/** One line a person can read, with `show` turning a path into its short form. What others named is put in by `foreignText`. */
export function describeEffect(effect: Effect, show: (path: string) => string = (path) => path): string {
  const named = (path: string): string => foreignText(show(path));
  switch (effect.kind) {
    case 'read':
      return `read ${named(effect.path)}`;
    case 'write':
      return `write ${named(effect.path)}`;
    case 'delete':
      return `delete ${named(effect.path)}`;
    case 'execute':
      return `run ${foreignText(effect.command)}${effect.network ? ' (network)' : ''}${effect.background ? ' (background)' : ''}`;
    case 'outside':
      return describeOutside(effect, named);
    case 'network':
      return `reach ${foreignText(effect.host)}:${effect.port}`;
    case 'mcp':
      return `call ${foreignText(effect.tool)} on MCP server ${foreignText(effect.server)}`;
    case 'memory':
      return `remember in ${named(effect.path)} (${effect.scope})`;
  }
}

function describeOutside(effect: OutsideAccess, show: (path: string) => string): string {
  switch (effect.access) {
    case 'read':
      return `read ${show(effect.path)} outside the workspace`;
    case 'write':
      return `write ${show(effect.path)} outside the workspace`;
    case 'ssh-agent':
      return 'use your ssh agent';
    case 'host':
      return `reach ${foreignText(effect.host)}`;
  }
}

/** How far the network of a command reaches, for a question: `yes`, `no`, or the hosts alone. */
export function networkReach(effects: readonly Effect[]): string {
  const isOpen = effects.some(
    (effect) => effect.kind === 'network' || (effect.kind === 'execute' && effect.network),
  );
  const hosts = effects.flatMap((effect) =>
    effect.kind === 'outside' && effect.access === 'host' ? [foreignText(effect.host)] : [],
  );
  return isOpen ? 'yes' : hosts.length > 0 ? `only ${hosts.join(', ')}` : 'no';
}
