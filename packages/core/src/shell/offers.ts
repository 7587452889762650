import type { CommandWords } from '../base/effect.js';
import type { ProgramModel } from './models/model.js';

/** Leading words for a rule that covers this command and its like; null where no such rule would be wise. */
export function offerFor(words: CommandWords, model: ProgramModel | undefined): readonly string[] | null {
  const end = words.indexOf(null);
  const known = (end === -1 ? words : words.slice(0, end)) as readonly string[];
  const count = countFor(known, model);
  return count > 0 && count <= known.length ? known.slice(0, count) : null;
}

function countFor(words: readonly string[], model: ProgramModel | undefined): number {
  if (typeof model?.offer === 'function') return model.offer(words);
  if (model?.offer !== undefined) return model.offer;
  if (model !== undefined) return 1;
  const name = words[0]?.split('/').at(-1) ?? '';
  // What runs any code or any program would run anything under its rule: a script of its own at most.
  if (starters.test(name)) return 0;
  if (interpreters.test(name)) return /^[\w./][\w./-]*$/.test(words[1] ?? '') ? 2 : 0;
  // An unknown program: with its sub-command, where the next word looks like one.
  return /^[a-z][a-z0-9:-]*$/.test(words[1] ?? '') ? 2 : 1;
}

const interpreters =
  /^(python|pypy|ruby|irb|perl|php|lua|luajit|node|nodejs|java|tsx|ts-node|julia|tclsh|wish|pwsh|powershell|guile|racket|sbcl|clojure|clj|bb|groovy|scala|kotlin|swift|R|octave|elixir|iex|erl|escript|runhaskell|runghc|ghci|ocaml|raku|crystal|nu|xonsh|elvish|tcsh|csh|mksh|rbash|osh|ash|qjs|jshell|ipython|bpython|dotnet-script|awk|nawk|original-awk|gsed|vim|vi|nvim|emacs|ed|ex|nano)[\d.]*$/;
const starters =
  /^(bwrap|firejail|proxychains4?|torsocks|tsocks|faketime|fakeroot|gosu|su-exec|pkexec|setarch|linux32|linux64|i386|x86_64|numactl|prlimit|cgexec|valgrind|perf|hyperfine|xvfb-run|unbuffer|rlwrap|caffeinate|ssh-agent|dbus-run-session|direnv|dotenv|mise|asdf|volta|pipx|pipenv|nix|nix-shell|devbox|run-parts|start-stop-daemon|daemonize|dtach|abduco|zellij|ld\.so|ld-linux.*)$/;
