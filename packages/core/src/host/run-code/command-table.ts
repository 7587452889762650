import type { Language } from './follow-file.js';

/** How the words after an interpreter are read. */
export interface Interpreter {
  language: Language;
  /** Options that take the next word. */
  valued: RegExp;
  /** Options whose value is a file or a package to load first. */
  loads?: RegExp;
  /** Options whose value is code. */
  inline?: RegExp;
  /** The first word may be one of these, which mean nothing else: `deno run FILE`. */
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
  [/^ruby[\d.]*$/, { language: 'ruby', valued: /^(-I|-C|-E)$/, loads: /^-r$/, inline: /^-e$/ }],
  [
    /^(perl|php|lua|luajit|Rscript|julia|pwsh|elixir|groovy|scala)[\d.]*$/,
    { language: 'other', valued: /^(-I|-d|-c)$/, inline: /^(-e|-E|-r)$/ },
  ],
];

/** Start what follows, after options and variables of their own. */
export const wrappers =
  /^(env|nohup|nice|ionice|time|timeout|exec|command|setsid|stdbuf|sudo|doas|cross-env|cross-env-shell|dotenv|xvfb-run|caffeinate|chronic|unbuffer|setpriv|taskset|firejail|direnv|mise|asdf|nix|bundle|dotenvx|op|infisical|doppler)$/;

/** Packages by name, of this folder first. */
export const packageRunners = /^(npx|bunx|pnpx)$/;
export const packageManagers = /^(npm|pnpm|yarn|yarnpkg|bun)$/;
/** Sub-commands of them that run a package by name. */
export const runsPackage = /^(exec|x|dlx)$/;
export const runsScript = /^(run|run-script|rum|urn)$/;
export const ownScripts = /^(start|test|stop|restart|t|tst)$/;

/** Projects of Python: `uv run NAME`. */
export const pythonRunners = /^(uv|poetry|pdm|pipenv|hatch|rye|pixi)$/;
export const pythonTools = /^(uvx|pipx)$/;

/** Run what a recipe in the folder says. */
export const recipeRunners =
  /^(make|gmake|just|task|cargo|go|mix|rake|dotnet|gradle|gradlew|mvn|mvnw|sbt|ant|cmake|ninja|bazel|swift|zig|stack|cabal|dune|composer|tox|nox|invoke)$/;

/** Options of package managers and launchers that take the next word. */
export const launcherValues =
  /^(-p|--package|-c|--call|-w|--workspace|--prefix|-C|--dir|--cwd|--directory|--project|--with|--with-editable|--with-requirements|--python|--env-file|--extra|--group|--only-group|--index-url|--extra-index-url|--index|--default-index|--find-links|--from|--cache|--registry|--userconfig|--loglevel|--spec|--suffix|-f|--filter|-n|-u|-s|-k|-S)$/;
/** Those of them that name the folder to work in. */
export const launcherFolder = /^(--prefix|-C|--dir|--cwd|--directory|--project)$/;

/** Variables by which other code is loaded than the command line says: files, options with files, or folders. */
export const codeVariables =
  /^(NODE_OPTIONS|NODE_PATH|PYTHONPATH|PYTHONHOME|PYTHONSTARTUP|BASH_ENV|ENV|LD_PRELOAD|LD_LIBRARY_PATH|LD_AUDIT|DYLD_\w+|PERL5LIB|PERL5OPT|RUBYLIB|RUBYOPT|CLASSPATH|JAVA_TOOL_OPTIONS|PATH|DENO_\w+|BUN_\w+|UV_\w+|NPM_CONFIG_\w+|npm_config_\w+|TS_NODE_\w+|TSX_\w+)$/;

export const CODE_ENDING =
  /\.([cm]?[jt]sx?|pyz?w?|rb|pl|pm|php|lua|sh|bash|zsh|fish|ps1|jar|war|class|dll|jl|R|ex|exs|wasm|node|so)$/i;
