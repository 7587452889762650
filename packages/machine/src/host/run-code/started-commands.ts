import { startsOthers } from './command-table.js';

/** The programs that a source file starts. */
export interface Started {
  /** Command lines as written; one for a shell comes after `sh -c`. */
  commands: string[][];
  /** True when the name of a program it starts is known only at run time. */
  isOpen: boolean;
}

/** The ways a language starts programs. */
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

export function startedCommands(source: string, language: 'javascript' | 'python'): Started {
  const { words, calls } = STARTS[language];
  if (!words.test(source)) return { commands: [], isOpen: false };
  const found = [...source.matchAll(calls)].map((match) =>
    writtenOut(source.slice(match.index + match[0].length), match[1] as string),
  );
  const commands = found.flatMap(({ command }) => (command === null ? [] : [command]));
  return { commands, isOpen: found.length === 0 || found.some(({ isOpen }) => isOpen) };
}

const PIECE = /\s*(?:[[\],]|f?"((?:[^"\\\n]|\\.)*)"|f?'((?:[^'\\\n]|\\.)*)'|`([^`$\\]*)`)/y;
/** End of the call, options that don't change what runs, or a callback. */
const DONE = /\s*(?:\)|\{(?![^}]*\b(?:cwd|shell)\b)|(?!cwd|executable|env)\w+\s*=(?!=))/y;

/** The command of a call, as far as it is written as literals. */
function writtenOut(text: string, how: string): { command: string[] | null; isOpen: boolean } {
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
  if (first === undefined) return { command: null, isOpen: true };
  if (how === 'fork') return { command: ['node', ...words], isOpen: !isWhole };
  if (SHELL_LINE.test(how) || (words.length === 1 && /\s/.test(first)))
    return { command: ['sh', '-c', first], isOpen: /[{}]/.test(first) || !isWhole };
  // A system program with unknown arguments runs none of our files, unless it is there to run others.
  return { command: words, isOpen: !isWhole && (first.includes('/') || startsOthers(first)) };
}
