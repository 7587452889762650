import { wordSet } from '../name-lists.js';

/**
 * Options that name a program, code, a file with settings, or a place, in whichever program they occur:
 * `--global-setup`, `--globalSetup`, `--global_setup`.
 */
const reaching = wordSet(
  `config configfile configpath configdir conf configuration userconfig globalconfig rc rcfile settings settingsfile settingsmodule
  require import loader experimentalloader preload preset presets plugin plugins plugindir pluginsdir resolvepluginsrelativeto
  rulesdir rulesdirs parser shell scriptshell shellarg nodeoptions nodearg nodeargs execargv execpath jvmargs javaopts javaagent
  prefix cwd dir directory chdir workdir workingdir workingdirectory root rootdir roots project projects projectdir basedir
  home confcutdir workspacedir exec execdir command cmd program interpreter executable runner testrunner
  setup setupfile setupfiles setupfilesafterenv globalsetup globalteardown testsequencer envfile dotenv
  init initfile initscript initcommand makefile file buildfile manifestpath packagefile eval evaluate execute expression code
  onsuccess onfailure onchange hook hooks hookspath pager editor browser opener rsh rshell sshcommand proxycommand
  uploadpack receivepack transform transformer transforms resolver toolexec vettool overlay modfile linker compiler wrapper
  rustcwrapper classpath modulepath agentlib agentpath library librarypath libpath loadpath pythonpath template
  gitdir worktree host context kubeconfig script startupscript postcommand precommand`,
);

/** Flags, and options with a value that is text or a place in the workspace to read from. */
const plain = wordSet(
  `run watch watchall release verbose quiet silent bail coverage collectcoverage fix fixdryrun write check list listtests listfiles
  debug all force help version color colors json ci update updatesnapshot passwithnotests runinband onlychanged changed failfast
  stdin parallel dryrun recursive strict lint pretty noemit incremental dev prod production frozenlockfile locked offline exact
  save savedev saveexact ui headed headless trace single once filter grep invert testnamepattern testpathpattern testpathpatterns
  testpathignorepatterns name tag tags include exclude ignore ignorepattern pattern match message cache nocache only skip retries
  timeout testtimeout workers maxworkers jobs threads shard seed repeat maxfail lf lastfailed ff failedfirst nf newfirst
  ignorepath diff staged cached showdiff quick full short long stats summary detectopenhandles forceexit
  ext extension extensions maxwarnings collectcoveragefrom coveragedirectory outputfile outfile outdir output doctest
  typecheck build clean test tests unit integration e2e fast slow race short v x`,
);

/** Letters that in many programs take a program, code, a file or a place. */
const reachingLetters = wordSet('-C -c -e -f -r -x');

interface Values {
  attached: string | null;
  /** True if another word follows that is no option. */
  hasNext: boolean;
}

export function reachesEverywhere(name: string, { attached, hasNext }: Values): boolean {
  const hasValue = attached !== null || hasNext;
  if (!name.startsWith('--')) return hasValue && reachingLetters.has(name.slice(0, 2)) && name.length === 2;
  if (!hasValue || (attached === null && /^--no-/.test(name))) return false;
  // `--test.setupFiles`, `--poolOptions.forks.execArgv`.
  return name
    .slice(2)
    .replace(/^(?:no-)+/i, '')
    .split('.')
    .map(normal)
    .some((part) => reaching.has(part) || isBeginning(part));
}

/** The option meant by a beginning, in programs that take those: `--conf` is `--config`. */
function isBeginning(part: string): boolean {
  return part.length >= 4 && !plain.has(part) && [...reaching].some((full) => full.startsWith(part));
}

export function isPlainEverywhere(name: string): boolean {
  return name.startsWith('--') && (plain.has(normal(name.slice(2))) || /^--no-/.test(name));
}

function normal(name: string): string {
  return name.replace(/[-_]/g, '').toLowerCase();
}

const FILE =
  /\.(?:[cm]?[jt]sx?|py|rb|pl|php|lua|sh|bash|zsh|so|dll|dylib|json5?|ya?ml|toml|ini|cfg|conf|mk|gradle|kts|xml|jar|wasm|node|exe|bat|cmd|ps1|properties|env|tf|tfvars|hcl)$/i;

/** A value that may be the name of a file or folder. The folder itself, `.`, is where it runs anyway. */
export function looksLikePath(text: string): boolean {
  return /[/\\]|^~|^\.\.$/.test(text) || FILE.test(text);
}
