const interpreters =
  /^(python|pypy|ruby|irb|perl|php|lua|luajit|node|nodejs|java|tsx|ts-node|ts-node-esm|esno|jiti|babel-node|coffee|julia|tclsh|wish|pwsh|powershell|guile|racket|sbcl|clojure|clj|bb|groovy|scala|kotlin|swift|R|Rscript|octave|elixir|iex|erl|escript|runhaskell|runghc|ghci|ocaml|raku|crystal|bash|sh|zsh|dash|fish|ksh|nu|xonsh|elvish|tcsh|csh|mksh|rbash|osh|ash|qjs|jshell|ipython|ipython3|bpython|ptpython|deno|bun|dotnet-script|awk|gawk|mawk|nawk|original-awk|gsed|vim|vi|nvim|emacs|ed|ex|nano)[\d.]*$/;

const starters =
  /^(bwrap|firejail|proxychains4?|torsocks|tsocks|faketime|fakeroot|gosu|su-exec|pkexec|setarch|linux32|linux64|i386|x86_64|numactl|prlimit|cgexec|valgrind|perf|hyperfine|xvfb-run|unbuffer|rlwrap|caffeinate|ssh-agent|dbus-run-session|direnv|dotenv|dotenvx|dotenv-cli|env-cmd|cross-env|cross-env-shell|concurrently|npm-run-all|run-s|run-p|nodemon|ts-node-dev|onchange|chokidar|wait-on|start-server-and-test|mise|asdf|volta|pipx|pipenv|nix|nix-shell|devbox|run-parts|start-stop-daemon|catchsegv|watchexec|chpst|softlimit|setlock|setuidgid|envdir|envuidgid|s6-[\w-]+|proot|eatmydata|capsh|sg|sshpass|tini|dumb-init|catatonit|aws-vault|envchain|chamber|doppler|daemonize|dtach|abduco|zellij|ld\.so|ld-linux.*)$/;

/** Programs of which a sub-command starts another program, or takes code. */
const runners =
  /^(micromamba|pixi|rye|hatch|pdm|bundler|rbenv|pyenv|fnm|nx|lerna|turbo|tox|nox|stack|cabal|opam|mix|rails|dotnet|heroku|nerdctl|vagrant)$/;

/** A program that runs the code it is given: whoever may start it may do anything. */
export function isInterpreter(name: string | undefined): boolean {
  return interpreters.test(plain(name));
}

/** A program that starts whatever program it is told to. */
export function isStarter(name: string | undefined): boolean {
  return starters.test(plain(name));
}

export function isRunner(name: string | undefined): boolean {
  return runners.test(plain(name));
}

/** The name of a program without folder and version: `tsx@4` is `tsx`. */
function plain(name = ''): string {
  return (
    name
      .split('/')
      .at(-1)
      ?.replace(/(?<=.)@.*$/, '') ?? ''
  );
}
