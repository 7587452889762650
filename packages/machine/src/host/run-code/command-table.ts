export type Language = 'javascript' | 'python' | 'shell' | 'ruby' | 'other';

/** An interpreter, and the meaning of the words after it. */
export interface Interpreter {
  language: Language;
  /** Options that take the next word. */
  valued: RegExp;
  /** Options whose value is a file or a package to load first. */
  loads?: RegExp;
  /** Options whose value is code. */
  inline?: RegExp;
  /** Options whose value, in the same word or the next, is a folder (or list of folders) to load from. */
  folders?: RegExp;
  /** Sub-commands that may come first: `deno run FILE`. */
  verbs?: RegExp;
}

const node: Interpreter = {
  language: 'javascript',
  valued:
    /^(-C|--conditions|--input-type|--title|--env-file|--env-file-if-exists|--inspect-port|--tsconfig)$/,
  loads: /^(-r|--require|--import|--loader|--experimental-loader|--preload|--env-file)$/,
  inline: /^(-e|-p|-pe|--eval|--print)$/,
};

export const interpreters: readonly [RegExp, Interpreter][] = [
  [/^(node|nodejs)[\d.]*$/, node],
  [/^(tsx|ts-node|ts-node-esm|vite-node|nodemon|swc-node|esrun)$/, { ...node, verbs: /^watch$/ }],
  [
    /^deno$/,
    {
      language: 'javascript',
      valued: /^(-c|--config|--import-map|--lock|--seed|--location|-L|--log-level)$/,
      loads: /^(--preload|--import-map|--config|-c)$/,
      inline: /^eval$/,
      verbs: /^(run|serve)$/,
    },
  ],
  [
    /^(python|pypy)[\d.]*w?$/,
    { language: 'python', valued: /^(-X|-W|--check-hash-based-pycs)$/, inline: /^-c$/ },
  ],
  [
    /^(bash|sh|zsh|dash|ksh|fish|rbash)$/,
    {
      language: 'shell',
      valued: /^(-o|-O|\+o|\+O)$/,
      loads: /^(--rcfile|--init-file)$/,
      inline: /^-[a-z]*c[a-z]*$/,
    },
  ],
  [
    /^ruby[\d.]*$/,
    { language: 'ruby', valued: /^(-C|-E)$/, loads: /^-r$/, folders: /^-I(.*)$/, inline: /^-e$/ },
  ],
  [
    /^java$/,
    {
      language: 'other',
      valued: /^(--add-opens|--add-exports|--add-modules)$/,
      loads: /^-jar$/,
      folders: /^(?:-cp|-classpath|--class-path|-p|--module-path)()$/,
    },
  ],
  [
    /^(perl|php|lua|luajit|Rscript|julia|pwsh|elixir|groovy|scala)[\d.]*$/,
    { language: 'other', valued: /^(-d|-c)$/, folders: /^-I(.*)$/, inline: /^(-e|-E|-r)$/ },
  ],
];

/** True for programs that run other programs, or files they are given. */
export function startsOthers(program: string): boolean {
  const lists = [wrappers, packageRunners, packageManagers, pythonRunners, pythonTools, recipeRunners];
  return [...lists, ...interpreters.map(([names]) => names)].some((names) => names.test(program));
}

/** Files that a program reads in its working folder and that decide what runs, by command line. */
export const readsHere: readonly [RegExp, readonly string[]][] = [
  [/^(node|nodejs)[\d.]* .*--experimental-(default-)?config-file/, ['node.config.json']],
  [
    /^(tsx|ts-node|ts-node-esm|vite-node|nodemon|swc-node|esrun) /,
    ['tsconfig.json', 'nodemon.json', '.swcrc', 'vite.config.js', 'vite.config.mjs', 'vite.config.ts'],
  ],
  [/^bunx? /, ['bunfig.toml', 'tsconfig.json']],
  [/^deno /, ['deno.json', 'deno.jsonc']],
  [/^(pnpm|pnpx|yarn|yarnpkg) /, ['.pnpmfile.cjs', 'pnpm-workspace.yaml', '.yarnrc.yml', '.yarn']],
  [
    /^(uv|poetry|pdm|pipenv|hatch|rye|pixi) /,
    [
      ...['pyproject.toml', 'uv.toml', '.venv', '.python-version', '.pdm-python', 'pdm.toml', 'poetry.toml'],
      ...['Pipfile', 'hatch.toml', 'hatch_build.py', 'pixi.toml', 'setup.py', 'setup.cfg'],
    ],
  ],
  [/^bundle /, ['Gemfile', '.bundle']],
  [/^(mise|asdf) /, ['mise.toml', '.mise.toml', '.tool-versions']],
  [/^(nix|nix-shell|devbox) /, ['flake.nix', 'flake.lock', 'default.nix', 'shell.nix', 'devbox.json']],
  [
    /^((docker|podman) .*\bcompose\b|docker-compose )/,
    ['compose.yaml', 'compose.yml', 'docker-compose.yaml', 'docker-compose.yml', 'Dockerfile'],
  ],
];

/** Programs that start the command behind their own options and variables. */
export const wrappers =
  /^(env|xargs|nohup|nice|ionice|time|timeout|exec|command|setsid|stdbuf|sudo|doas|cross-env|cross-env-shell|dotenv|xvfb-run|caffeinate|chronic|unbuffer|setpriv|taskset|firejail|direnv|mise|asdf|nix|bundle|dotenvx|op|infisical|doppler)$/;

/** Programs that run a package by name, preferring this folder's. */
export const packageRunners = /^(npx|bunx|pnpx)$/;
export const packageManagers = /^(npm|pnpm|yarn|yarnpkg|bun)$/;
/** Sub-commands of package managers that run a package by name. */
export const runsPackage = /^(exec|x|dlx)$/;
/** Options that choose one of several packages in this folder. */
export const choosesPackage = /^(-w|--workspace|--filter|-F)$/;
export const runsScript = /^(run|run-script|rum|urn)$/;
export const ownScripts = /^(start|test|stop|restart|t|tst)$/;

/** Runners of Python projects: `uv run NAME`. */
export const pythonRunners = /^(uv|poetry|pdm|pipenv|hatch|rye|pixi)$/;
export const pythonTools = /^(uvx|pipx)$/;

/** Programs that run what a recipe in the folder says. */
export const recipeRunners =
  /^(make|gmake|just|task|cargo|go|mix|rake|dotnet|gradle|gradlew|mvn|mvnw|sbt|ant|cmake|ninja|bazel|swift|zig|stack|cabal|dune|composer|tox|nox|invoke|npm-run-all2?|run-s|run-p|turbo|nx|lerna|wireit|parallel|run-parts)$/;

/** Options of package managers and launchers that take the next word. */
export const launcherValues =
  /^(-p|--package|-c|--call|-w|--workspace|--prefix|-C|--dir|--cwd|--directory|--project|--with|--with-editable|--with-requirements|--python|--env-file|--extra|--group|--only-group|--index-url|--extra-index-url|--index|--default-index|--find-links|--from|--cache|--registry|--userconfig|--loglevel|--spec|--suffix|-f|--filter|-n|-u|-s|-k|-S)$/;
/** Options among them that name the folder to work in. */
export const launcherFolder = /^(--prefix|-C|--dir|--cwd|--directory|--project)$/;

/** Variables that make a program load other code than its command line says: files, options with files, folders. */
export const codeVariables =
  /^(NODE_OPTIONS|NODE_PATH|PYTHONPATH|PYTHONHOME|PYTHONSTARTUP|BASH_ENV|ENV|LD_PRELOAD|LD_LIBRARY_PATH|LD_AUDIT|DYLD_\w+|PERL5LIB|PERL5OPT|RUBYLIB|RUBYOPT|CLASSPATH|JAVA_TOOL_OPTIONS|PATH|DENO_\w+|BUN_\w+|UV_\w+|NPM_CONFIG_\w+|npm_config_\w+|TS_NODE_\w+|TSX_\w+)$/;

export const CODE_ENDING =
  /\.([cm]?[jt]sx?|pyz?w?|rb|pl|pm|php|lua|sh|bash|zsh|fish|ps1|jar|war|class|dll|jl|R|ex|exs|wasm|node|so)$/i;
