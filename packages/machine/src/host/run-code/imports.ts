import { codeVariables, interpreters, startsOthers } from './command-table.js';

/** The names that a source file loads, and the programs it starts. */
export interface Imports extends Started {
  /** Names as written. */
  names: string[];
}

/** Comments that hold no quote: a quote before `//` may belong to a URL. */
const JS_COMMENTS = /\/\*[\s\S]*?\*\/|^\s*\/\/[^\n]*/gm;
const JS_NAMED =
  /(?:\bfrom|\bimport)\s*(['"])((?:[^'"\\\n]|\\.)*?)\1|\b(?:import|require|require\.resolve|import\.meta\.resolve)\s*\(\s*(['"`])((?:[^'"`\\\n$]|\\.)*?)\3\s*[,)]|\bnew\s+(?:Worker|URL)\s*\(\s*(['"])((?:[^'"\\\n]|\\.)*?)\5/g;
/** `const require = createRequire(import.meta.url)`: its calls are read like any other. */
const JS_OWN_REQUIRE = /\brequire\s*=\s*(?:[\w.]+\.)?createRequire\s*\([^)]*\)/g;
/** Ways to load or run code under names that can't be read. */
const JS_INCOMPLETE =
  /(?:^|[^.\w$])(?:import|require)\s*\(\s*[^,)\s]|\brequire\s*[;,)]|\bcreateRequire\s*(?:\(|as\b)|\bnew\s+Worker\s*\(\s*[^,\s]|(?:^|[^.\w$])(?:eval|Function)\s*\(|\brunIn(?:This|New)?Context\b|\bcompileFunction\b|\bnew\s+(?:vm\.)?Script\s*\(|\bSourceTextModule\b|\bdlopen\s*\(|\bmodule\.register\b|\b_(?:load|compile)\s*\(/;
const JS_HOOKS = /\bregister(?:Hooks)?\b[^}]*\}\s*(?:from|=\s*require\s*\()\s*['"](?:node:)?module['"]/;

export function javaScriptImports(source: string): Imports {
  const text = source.replace(JS_COMMENTS, '');
  // Text that looks like a comment may be quoted, so names in the whole source count as well.
  const names = [text, source].flatMap((each) => [...each.matchAll(JS_NAMED)].map(nameOf));
  const others = text.replace(JS_NAMED, '').replace(JS_OWN_REQUIRE, '');
  const { commands, isIncomplete } = startedCommands(source, 'javascript');
  return {
    names: [...new Set(names)].filter((name) => name !== ''),
    commands,
    isIncomplete:
      isIncomplete ||
      JS_INCOMPLETE.test(others) ||
      JS_HOOKS.test(text) ||
      names.some((name) => name.includes('\\')),
  };
}

const nameOf = (match: RegExpMatchArray): string => match[2] ?? match[4] ?? match[6] ?? '';

const PYTHON_IMPORT = /^[ \t]*import[ \t]+([\w., \t]+?)[ \t]*(?:#.*|;.*)?$/gm;
const PYTHON_FROM = /^[ \t]*from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n#;]+)/gm;
const PYTHON_LITERAL = /\b(?:import_module|__import__|run_module|run_path)\s*\(\s*(['"])([\w./-]+)\1/g;
const PYTHON_INCOMPLETE =
  /\b(?:import_module|__import__|run_module|run_path)\s*\(\s*(?!['"][\w./-]+['"]\s*\))|\bimport_module\s+as\b|\b(?:spec_from_file_location|load_source|exec_module|load_module)\b|\b\w*FileLoader\b|\b(?:pkgutil|iter_modules|walk_packages|meta_path|path_hooks)\b|(?<![.\w])(?:exec|eval|compile)\s*\(|\bsys\.path\b/;
/** Separators that put several statements on one line. */
const ONE_LINE_EACH = /;|:(?=[ \t]*(?:import|from)[ \t])/g;

/** Imported modules, and the names imported from them, which may be modules as well: `a.b`, `.c`. */
export function pythonImports(text: string): Imports {
  const names: string[] = [];
  const source = text.replace(/\\\r?\n/g, ' ').replace(ONE_LINE_EACH, '\n');
  for (const [, list = ''] of source.matchAll(PYTHON_IMPORT))
    names.push(...list.split(',').map((item) => item.trim().split(/\s+/)[0] ?? ''));
  for (const [, module = '', list = ''] of source.matchAll(PYTHON_FROM)) {
    if (module !== '' && !/^\.+$/.test(module)) names.push(module);
    for (const item of list.replace(/[()\\]|#[^\n]*/g, ' ').split(',')) {
      const name = item.trim().split(/\s+/)[0] ?? '';
      if (/^\w+$/.test(name)) names.push(/^\.*$/.test(module) ? `${module}${name}` : `${module}.${name}`);
    }
    if (/^\.+$/.test(module)) names.push(module);
  }
  for (const [, , name = ''] of source.matchAll(PYTHON_LITERAL)) names.push(name);
  const { commands, isIncomplete } = startedCommands(text, 'python');
  return {
    names: [...new Set(names)].filter((name) => name !== ''),
    commands,
    isIncomplete: isIncomplete || PYTHON_INCOMPLETE.test(source),
  };
}

const RUBY_NAMED = /\b(require_relative|require|load)[ \t(]+(['"])([^'"#\n]+)\2/g;
const RUBY_INCOMPLETE =
  /\b(?:require_relative|require|load)[ \t(]+(?!['"][^'"#\n]+['"])\S|\$(?:LOAD_PATH|:)|\beval\b|\b(?:system|exec|spawn|popen|capture[23e]*)\b|`[^`\n]+`|%x/;

/** Required files beside the source, relative to it. */
export function rubyImports(source: string): Imports {
  const names = [...source.matchAll(RUBY_NAMED)]
    .filter(([, how, , name = '']) => how === 'require_relative' || /^\.{0,2}\//.test(name))
    .map(([, , , name = '']) => name);
  return { names: [...new Set(names)], commands: [], isIncomplete: RUBY_INCOMPLETE.test(source) };
}

export interface ScriptCommand {
  words: string[];
  /** True when a word that decides what runs is known only at run time. */
  isIncomplete: boolean;
}

/** The folder of the script itself, in all common spellings. */
const OWN_FOLDER =
  /"?\$\((?:cd\s+(?:--\s+)?)?"?(?:\$\()?dirname\s+(?:--\s+)?"?\$(?:0|\{0\}|BASH_SOURCE|\{BASH_SOURCE(?:\[0\])?\})"?\)?"?(?:\s*(?:&&|;)\s*pwd(?:\s+-P)?\s*\))?\)?"?|"?\$\{0%\/\*\}"?/g;
const SHELL_WORD =
  /(?:[^\s"'\\;&|(){}<>]+|\\.|"(?:[^"\\]|\\.)*"|'[^']*'|\$\{[^}]*\}|\$\([^)]*\))+|[;&|\n(){}<>]+/gs;
const KEYWORDS =
  /^(?:if|then|else|elif|fi|while|until|do|done|for|case|esac|in|!|time|set|shift|exit|return|local|export|echo|printf|:|true|false|\[|\[\[|test)$/;
/** The parameters for all arguments (`$@`, `$*`, `$#`), which say nothing about the program. */
const ARGUMENTS = /^"?\$(?:@|\*|\{@\}|#|\?)"?$/;

/** The commands of a shell script, as far as they can be read without running it. */
export function shellCommands(source: string, folder: string): ScriptCommand[] {
  const text = source
    .replace(/^[ \t]*#.*$/gm, '')
    .replace(/\\\n/g, ' ')
    .replace(OWN_FOLDER, () => `'${folder}'`);
  const commands: ScriptCommand[] = [];
  let words: string[] = [];
  let isIncomplete = false;
  const end = (): void => {
    // An interpreter without a script, or `find` with an action, gets its code from elsewhere.
    const [first = ''] = words;
    const readsInput = words.every((word) => /^-/.test(word) || word === first);
    if (readsInput && runsScripts(first)) isIncomplete = true;
    if (first === 'find' && words.some((word) => /^-(exec|ok)/.test(word))) isIncomplete = true;
    if (words.length > 0 || isIncomplete) commands.push({ words, isIncomplete });
    words = [];
    isIncomplete = false;
  };
  for (const [word] of text.matchAll(SHELL_WORD)) {
    if (/^[;&|\n(){}]/.test(word)) end();
    else if (word.startsWith('<<')) isIncomplete ||= runsScripts(words[0]);
    else if (ARGUMENTS.test(word) || /^[<>]/.test(word)) continue;
    else if (words.length === 0 && KEYWORDS.test(word)) continue;
    else if (/[`$]/.test(word.replace(/'[^']*'/g, ''))) {
      // An assignment decides nothing yet; a variable that names a program or file does.
      const [, variable] = /^(\w+)=/.exec(word) ?? [];
      if (variable !== undefined) isIncomplete ||= codeVariables.test(variable);
      else if (words.length === 0 || /[/.]|^"?\$/.test(word)) isIncomplete = true;
    } else words.push(plainWord(word));
  }
  end();
  return commands;
}

const runsScripts = (program = ''): boolean => interpreters.some(([names]) => names.test(program));

function plainWord(word: string): string {
  return word.replace(/\\(.)|"((?:[^"\\]|\\.)*)"|'([^']*)'/gs, (_all, escaped, double, single) =>
    escaped !== undefined ? escaped : double !== undefined ? double.replace(/\\(["\\$`])/g, '$1') : single,
  );
}

interface Started {
  /** Command lines as written; one for a shell comes after `sh -c`. */
  commands: string[][];
  /** True when the name of a program it starts is known only at run time. */
  isIncomplete: boolean;
}

interface Starts {
  /** A source without one of these words starts nothing. */
  words: RegExp;
  /** Calls up to the opening bracket; the function's name decides how the arguments are read. */
  calls: RegExp;
}

const STARTS: Readonly<Record<'javascript' | 'python', Starts>> = {
  javascript: {
    words:
      /\bchild_process\b|['"](?:cross-spawn|execa|zx|tinyexec|node-pty|shelljs)\b|\bBun\.(?:spawn|\$)|\bDeno\.(?:Command|run)\b/,
    calls:
      /(?<![.\w$])(?:(?:cp|child_?[pP]rocess|Bun|require\(['"](?:node:)?child_process['"]\))\.)?(spawn|spawnSync|execFile|execFileSync|fork|exec|execSync|execa|execaSync)\s*\(/g,
  },
  python: {
    words:
      /\bsubprocess\b|\bos\.(?:system|popen|exec\w+|spawn\w+|posix_spawnp?)\b|\bcreate_subprocess_|\bpty\.spawn\b|\b(?:run|open)_process\b|\bpexpect\b/,
    calls:
      /(?<![.\w]|\bdef )(?:(?:subprocess|os|asyncio|pty)\.)?(run|Popen|call|check_call|check_output|getoutput|getstatusoutput|system|popen|create_subprocess_exec|create_subprocess_shell)\s*\(/g,
  },
};
const SHELL_LINE = /^(?:exec|execSync|system|popen|getoutput|getstatusoutput|create_subprocess_shell)$/;

function startedCommands(source: string, language: 'javascript' | 'python'): Started {
  const { words, calls } = STARTS[language];
  if (!words.test(source)) return { commands: [], isIncomplete: false };
  const found = [...source.matchAll(calls)].map((match) =>
    writtenOut(source.slice(match.index + match[0].length), match[1] as string),
  );
  const commands = found.flatMap(({ command }) => (command === null ? [] : [command]));
  return { commands, isIncomplete: found.length === 0 || found.some(({ isIncomplete }) => isIncomplete) };
}

const PIECE = /\s*(?:[[\],]|f?"((?:[^"\\\n]|\\.)*)"|f?'((?:[^'\\\n]|\\.)*)'|`([^`$\\]*)`)/y;
/** End of the call, options that don't change what runs, or a callback. */
const DONE = /\s*(?:\)|\{(?![^}]*\b(?:cwd|shell)\b)|(?!cwd|executable|env)\w+\s*=(?!=))/y;

/** The command of a call, as far as it is written as literals. */
function writtenOut(text: string, how: string): { command: string[] | null; isIncomplete: boolean } {
  const words: string[] = [];
  PIECE.lastIndex = 0;
  let end = 0;
  for (let match = PIECE.exec(text); match !== null; match = PIECE.exec(text)) {
    end = PIECE.lastIndex;
    const word = match[1] ?? match[2] ?? match[3];
    if (word !== undefined) words.push(word);
  }
  DONE.lastIndex = end;
  const isWhole = DONE.test(text);
  const [first] = words;
  if (first === undefined) return { command: null, isIncomplete: true };
  if (how === 'fork') return { command: ['node', ...words], isIncomplete: !isWhole };
  if (SHELL_LINE.test(how) || (words.length === 1 && /\s/.test(first)))
    return { command: ['sh', '-c', first], isIncomplete: /[{}]/.test(first) || !isWhole };
  // A system program with unknown arguments runs none of our files, unless it is there to run others.
  return { command: words, isIncomplete: !isWhole && (first.includes('/') || startsOthers(first)) };
}
