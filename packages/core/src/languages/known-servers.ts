import { extname } from 'node:path';
import type { JsonObject } from '@toolwright/machine/base/json.js';

/** The settings of language servers. */
export interface LanguageOptions {
  /** False: no server is started. */
  enabled?: boolean;
  /** Servers beside those that are known, or in their place, by name. */
  servers?: Readonly<Record<string, NamedServer>>;
  /** Longest time that the response to a change waits for its errors; 500 unless told. */
  waitMs?: number;
  /** Changed files are formatted with the formatter of the project, in a trusted folder. */
  format?: boolean;
  /** Time without a question after which a server ends; five minutes unless told. */
  idleMs?: number;
}

export interface NamedServer {
  /** Program and arguments. */
  command: string | readonly string[];
  /** Endings of the files that it is for: `.lua`. */
  extensions: readonly string[];
  /** The answer when it asks for its configuration, as a tree by the names of its manual. */
  settings?: JsonObject | undefined;
  initializationOptions?: JsonObject | undefined;
}

/** A program that may speak the protocol. */
export interface Candidate {
  /** A name that is looked for on the machine, or a path in the workspace, which must be trusted. */
  program: string;
  of: 'machine' | 'workspace';
  args: readonly string[];
  /** The file is a script for Node. */
  isScript?: true;
  /** It does not say that a file has no errors, so that those before and after a change can't be told apart. */
  tellsNoErrors?: true;
  /** The package that holds the program must have this version at least. */
  leastMajor?: number;
}

/** A language with the servers that know it, best first. */
export interface Language {
  name: string;
  /** Ending of a file to the language as the protocol names it. */
  endings: Readonly<Record<string, string>>;
  candidates: readonly Candidate[];
  /** A pattern of ripgrep for lines by which other files use the file with this name. */
  uses?(name: string): string;
  /** The same for files that offer what is in the file with this name to others, as their own. */
  passesOn?(name: string): string;
  /** Files of a folder use each other without naming each other; others name the folder. */
  sharesFolder?: true;
  /** Interpreters of a workspace that the server asks which packages there are; only where the user trusts it. */
  interpreters?: { setting: string; programs: readonly string[] };
  settings?: JsonObject | undefined;
  initializationOptions?: JsonObject | undefined;
}

const stdio = ['--stdio'];
const lsp = ['--lsp', '--stdio'];

const knownLanguages: readonly Language[] = [
  {
    name: 'typescript',
    endings: {
      '.ts': 'typescript',
      '.tsx': 'typescriptreact',
      '.mts': 'typescript',
      '.cts': 'typescript',
      '.js': 'javascript',
      '.jsx': 'javascriptreact',
      '.mjs': 'javascript',
      '.cjs': 'javascript',
    },
    candidates: [
      {
        program: 'node_modules/typescript/bin/tsc',
        of: 'workspace',
        args: lsp,
        isScript: true,
        leastMajor: 7,
      },
      {
        program: 'node_modules/@typescript/native-preview/bin/tsgo.js',
        of: 'workspace',
        args: lsp,
        isScript: true,
      },
      { program: 'tsc', of: 'machine', args: lsp, leastMajor: 7 },
      { program: 'tsgo', of: 'machine', args: lsp },
      { program: 'vtsls', of: 'machine', args: stdio, tellsNoErrors: true },
      { program: 'typescript-language-server', of: 'machine', args: stdio, tellsNoErrors: true },
    ],
    uses: (name) => `['"/]${name}(\\.[cm]?[jt]sx?)?['"]`,
    passesOn: (name) => `\\bexport\\b[^;'"]*\\bfrom\\s*['"]([^'"]*/)?${name}(\\.[cm]?[jt]sx?)?['"]`,
  },
  {
    name: 'python',
    endings: { '.py': 'python', '.pyi': 'python' },
    candidates: [
      { program: 'node_modules/pyright/langserver.index.js', of: 'workspace', args: stdio, isScript: true },
      { program: '.venv/bin/pyright-langserver', of: 'workspace', args: stdio },
      { program: '.venv/bin/basedpyright-langserver', of: 'workspace', args: stdio },
      { program: 'pyright-langserver', of: 'machine', args: stdio },
      { program: 'basedpyright-langserver', of: 'machine', args: stdio },
    ],
    interpreters: { setting: 'python.pythonPath', programs: ['.venv/bin/python', 'venv/bin/python'] },
    uses: (name) => `^\\s*(from|import)\\b(.*|[^(\\n]*\\bimport\\s*\\([^)]*)\\b${name}\\b`,
    // An __init__.py offers what it imports.
    passesOn: (name) => `^from\\s+\\.[\\w.]*\\b${name}\\s+import\\b`,
  },
  {
    name: 'go',
    endings: { '.go': 'go' },
    candidates: [{ program: 'gopls', of: 'machine', args: [] }],
    uses: (name) => `"([^"]*/)?${name}"`,
    sharesFolder: true,
  },
  {
    name: 'rust',
    endings: { '.rs': 'rust' },
    candidates: [{ program: 'rust-analyzer', of: 'machine', args: [] }],
    uses: (name) => `\\b(mod\\s+${name}|${name}::)`,
  },
  {
    name: 'c',
    endings: {
      '.c': 'c',
      '.h': 'c',
      '.cc': 'cpp',
      '.cpp': 'cpp',
      '.cxx': 'cpp',
      '.hh': 'cpp',
      '.hpp': 'cpp',
      '.hxx': 'cpp',
      '.m': 'objective-c',
    },
    // Headers are seen as they are shown, so that errors before and after a change can be told apart.
    candidates: [{ program: 'clangd', of: 'machine', args: ['--use-dirty-headers'] }],
    uses: (name) => `#\\s*include\\s*["<](.*/)?${name}\\.h`,
  },
];

/** The languages of a session: those of the settings first. */
export function languagesOf({ servers = {} }: LanguageOptions): Language[] {
  const named = Object.entries(servers).map(([name, server]): Language => {
    const { command, extensions, settings, initializationOptions } = server;
    const [program = '', ...args] = typeof command === 'string' ? command.trim().split(/\s+/) : command;
    const known = knownLanguages.find((language) => extensions.some((each) => each in language.endings));
    const endings = extensions.map((each) => [each, known?.endings[each] ?? each.slice(1)]);
    const of = program.includes('/') && !program.startsWith('/') ? 'workspace' : 'machine';
    const candidates = [{ program, of, args }] satisfies Candidate[];
    const own = { settings, initializationOptions };
    return { ...known, ...own, name, endings: Object.fromEntries(endings), candidates };
  });
  return [...named, ...knownLanguages];
}

/** The language of a file; undefined for a file that no server is known for. */
export function languageOf(path: string, languages: readonly Language[]): Language | undefined {
  const ending = extname(path);
  return ending === '' ? undefined : languages.find(({ endings }) => ending in endings);
}

/** The name of a file's language in the protocol. */
export function languageId(path: string, { endings }: Language): string {
  return endings[extname(path)] ?? 'plaintext';
}
