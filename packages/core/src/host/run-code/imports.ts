/** What a source file says that it loads. */
export interface Imports {
  /** As they are written. */
  names: string[];
  /** It loads something whose name is known only when it runs. */
  isOpen: boolean;
}

/** Comments that hold no quote: a quote in front of `//` may belong to an address. */
const JS_COMMENTS = /\/\*[\s\S]*?\*\/|^\s*\/\/[^\n]*/gm;
const JS_NAMED =
  /(?:\bfrom|\bimport)\s*(['"])((?:[^'"\\\n]|\\.)*?)\1|\b(?:import|require|require\.resolve|import\.meta\.resolve)\s*\(\s*(['"`])((?:[^'"`\\\n$]|\\.)*?)\3\s*[,)]|\bnew\s+(?:Worker|URL)\s*\(\s*(['"])((?:[^'"\\\n]|\\.)*?)\5/g;
const JS_OPEN =
  /(?:^|[^.\w$])(?:import|require)\s*\(\s*(?!['"`]|\))|(?:^|[^.\w$])(?:import|require)\s*\(\s*(?:`[^`]*\$|(['"])(?:[^'"\\\n]|\\.)*?\1\s*\+)|\bnew\s+Worker\s*\(\s*(?!['"]|new\s+URL\s*\(\s*['"])/;

export function javaScriptImports(source: string): Imports {
  const text = source.replace(JS_COMMENTS, '');
  const names = [...text.matchAll(JS_NAMED)].map((match) => match[2] ?? match[4] ?? match[6] ?? '');
  return { names: [...new Set(names)].filter((name) => name !== ''), isOpen: JS_OPEN.test(text) };
}

const PYTHON_IMPORT = /^[ \t]*import[ \t]+([\w., \t]+?)[ \t]*(?:#.*|;.*)?$/gm;
const PYTHON_FROM = /^[ \t]*from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n#;]+)/gm;
const PYTHON_LITERAL = /\b(?:import_module|__import__|run_module|run_path)\s*\(\s*(['"])([\w./-]+)\1/g;
const PYTHON_OPEN =
  /\b(?:import_module|__import__|run_module|run_path|spec_from_file_location|load_source)\s*\(\s*(?!['"][\w./-]+['"]\s*\))|\bexec\s*\(|\bsys\.path\b/;

/** Modules, with the names that are taken out of them, which may be modules as well: `a.b`, `.c`. */
export function pythonImports(source: string): Imports {
  const names: string[] = [];
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
  return { names: [...new Set(names)].filter((name) => name !== ''), isOpen: PYTHON_OPEN.test(source) };
}

const RUBY_NAMED = /\b(require_relative|require|load)[ \t(]+(['"])([^'"#\n]+)\2/g;
const RUBY_OPEN =
  /\b(?:require_relative|require|load)[ \t(]+(?!['"][^'"#\n]+['"])\S|\$(?:LOAD_PATH|:)|\beval\b/;

/** Files beside the source, relative to it. */
export function rubyImports(source: string): Imports {
  const names = [...source.matchAll(RUBY_NAMED)]
    .filter(([, how, , name = '']) => how === 'require_relative' || /^\.{0,2}\//.test(name))
    .map(([, , , name = '']) => name);
  return { names: [...new Set(names)], isOpen: RUBY_OPEN.test(source) };
}

/** One command of a script. */
export interface ScriptCommand {
  words: string[];
  /** A word that says what runs is known only when it runs. */
  isOpen: boolean;
}

/** The folder of the script itself, in the ways people write it. */
const OWN_FOLDER =
  /"?\$\((?:cd\s+(?:--\s+)?)?"?(?:\$\()?dirname\s+(?:--\s+)?"?\$(?:0|\{0\}|BASH_SOURCE|\{BASH_SOURCE(?:\[0\])?\})"?\)?"?(?:\s*(?:&&|;)\s*pwd(?:\s+-P)?\s*\))?\)?"?|"?\$\{0%\/\*\}"?/g;
const SHELL_WORD =
  /(?:[^\s"'\\;&|(){}<>]+|\\.|"(?:[^"\\]|\\.)*"|'[^']*'|\$\{[^}]*\}|\$\([^)]*\))+|[;&|\n(){}<>]+/gs;
const KEYWORDS =
  /^(?:if|then|else|elif|fi|while|until|do|done|for|case|esac|in|!|time|set|shift|exit|return|local|export|echo|printf|:|true|false|\[|\[\[|test)$/;
/** Stands for all arguments, which say nothing about the program. */
const ARGUMENTS = /^"?\$(?:@|\*|\{@\}|#|\?)"?$/;

/** The commands of a script of the shell, as far as they can be read without running it. */
export function shellCommands(source: string, folder: string): ScriptCommand[] {
  const text = source
    .replace(/^[ \t]*#.*$/gm, '')
    .replace(/\\\n/g, ' ')
    .replace(OWN_FOLDER, () => `'${folder}'`);
  const commands: ScriptCommand[] = [];
  let words: string[] = [];
  let isOpen = false;
  const end = (): void => {
    if (words.length > 0 || isOpen) commands.push({ words, isOpen });
    words = [];
    isOpen = false;
  };
  for (const [word] of text.matchAll(SHELL_WORD)) {
    if (/^[;&|\n(){}]/.test(word)) end();
    else if (ARGUMENTS.test(word) || /^[<>]/.test(word)) continue;
    else if (words.length === 0 && KEYWORDS.test(word)) continue;
    else if (/[`$]/.test(word.replace(/'[^']*'/g, ''))) {
      // A variable that is set says nothing yet; one that names a program or a file does.
      if (words.length === 0 ? !/^\w+=/.test(word) : /[/.]|^"?\$/.test(word)) isOpen = true;
    } else words.push(plainWord(word));
  }
  end();
  return commands;
}

function plainWord(word: string): string {
  return word.replace(/\\(.)|"((?:[^"\\]|\\.)*)"|'([^']*)'/gs, (_all, escaped, double, single) =>
    escaped !== undefined ? escaped : double !== undefined ? double.replace(/\\(["\\$`])/g, '$1') : single,
  );
}
