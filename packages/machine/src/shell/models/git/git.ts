import { wordSet } from '../../name-lists.js';
import { literalWord, mayBeOption, type ShellWord, unknownWord } from '../../shell-word.js';
import { judge } from '../judge.js';
import type { ProgramModel, Reporter, Verdict } from '../model.js';
import { mayStartAny } from '../starting/starters.js';
import { readOnlyGit } from './read-only.js';

/** Variables of an automatic git run: no hooks, no watcher, no pager, no fetching, no index refreshed on the way. */
const quietGit: Readonly<Record<string, string>> = {
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_LAZY_FETCH: '1',
  GIT_PAGER: 'cat',
  GIT_EDITOR: ':',
  GIT_SEQUENCE_EDITOR: ':',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: '',
  SSH_ASKPASS: '',
  GIT_ALLOW_PROTOCOL: 'none',
  ...configuration({
    'core.fsmonitor': 'false',
    'core.hooksPath': '/dev/null',
    'core.pager': 'cat',
    'core.untrackedCache': 'false',
    'protocol.ext.allow': 'never',
    'log.showSignature': 'false',
    'diff.autoRefreshIndex': 'false',
    'maintenance.auto': 'false',
    'gc.auto': '0',
  }),
};

/** Variables by count are for git itself; parameters, too, for these reach the runs inside of submodules. */
function configuration(values: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(values);
  const pairs = entries.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return {
    GIT_CONFIG_COUNT: String(entries.length),
    GIT_CONFIG_PARAMETERS: entries.map(([key, value]) => `'${key}=${value}'`).join(' '),
    ...Object.fromEntries(pairs),
  };
}

const starts = 'may start other programs';
const globalOptions: ProgramModel = {
  style: 'posix',
  harmless:
    '-P -c= -C= --no-pager --no-optional-locks --no-replace-objects --no-lazy-fetch --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --version -v',
  launches: {
    '-p --paginate': 'starts a pager',
    '--exec-path? --git-dir= --work-tree= --namespace= --config-env= --super-prefix= --bare --attr-source=':
      starts,
    '--help -h': 'starts a viewer',
  },
};

const changing = wordSet(
  'add am apply bisect checkout checkout-index cherry-pick clean commit commit-graph commit-tree fast-import filter-repo fsck gc hash-object index-pack init maintenance merge merge-file merge-index merge-tree mktag mktree multi-pack-index mv pack-objects pack-refs prune prune-packed read-tree rebase repack replace rerere reset restore revert rm sparse-checkout stage switch unpack-objects update-index update-ref update-server-info write-tree bundle archive format-patch patch-id fmt-merge-msg column interpret-trailers mailinfo mailsplit stripspace var verify-pack get-tar-commit-id',
);
const networked = wordSet(
  'clone fetch fetch-pack ls-remote pull push remote-ext remote-fd send-pack http-fetch http-push',
);
const starting = wordSet(
  'difftool mergetool filter-branch send-email instaweb web--browse daemon credential credential-cache credential-store hook submodule verify-commit verify-tag help shell svn p4 cvsimport cvsserver gui citool for-each-repo diagnose bugreport imap-send request-pull upload-pack receive-pack upload-archive',
);
/** Options of changing and networked sub-commands whose value is a program. */
const startingOption =
  /^(-x.*|--exec(=.*)?|--upload-pack(=.*)?|--receive-pack(=.*)?|-u.*|--template(=.*)?|--config(=.*)?|-c.*|--gpg-sign.*|--strategy.*|-s.*|--extcmd.*|--open-files-in-pager.*)$/;

export const git: ProgramModel = {
  examine: examineGit,
  offer: (given) => (/^[a-z][a-z-]*$/.test(given[1] ?? '') ? 2 : 0),
};

function examineGit(all: readonly ShellWord[], report: Reporter): Verdict | undefined {
  report.force(quietGit);
  const at = subCommandAt(all);
  judge(globalOptions, all.slice(0, at), report);
  const before = readGlobal(all.slice(0, at), report);
  const [name, ...rest] = all.slice(at);
  if (name === undefined) return undefined;
  if (name.kind !== 'literal') {
    report.unknownProgram('`git` with a sub-command known only when it runs');
    return undefined;
  }
  const isInRepository = report.gitConfiguration(before.directory);
  const inner: Reporter = { ...report, who: `\`git ${name.text}\`` };
  const model = Object.hasOwn(readOnlyGit, name.text) ? readOnlyGit[name.text] : undefined;
  if (model === undefined) return judgeOther(name.text, rest, inner);
  // `--help` there starts a viewer, which the repository may name.
  const [first] = rest;
  if (first !== undefined && first.kind !== 'literal' && mayBeOption(first))
    inner.unknownProgram(`${inner.who} may take a word known only when it runs for an option`);
  // Signatures are checked by a program that the configuration names.
  if (rest.some(({ text, values }) => [text, ...values].some((value) => checksSignatures.test(value)))) {
    inner.unknownProgram(`${inner.who} may start a program to check signatures`);
  }
  // Behind an option such a word is a file: `git stash -p list` puts changes to it away.
  if (name.text === 'stash' && !/^(list|show)$/.test(rest[0]?.text ?? ''))
    inner.doubt('`git stash` changes files and the repository');
  checkPaths(rest, inner, before.directory);
  if (showsFiles.has(name.text) || (name.text === 'status' && rest.some(isVerbose)))
    inner.readInRepository('');
  // Without a repository it compares any two files, as `diff` does.
  if (name.text === 'diff' && !isInRepository)
    for (const word of rest) if (!word.prefix.startsWith('-')) inner.read(word);
  return judge(model, rest, inner);
}

/** A format that shows signatures, or an order by them. */
const checksSignatures = /%[-+ ]?G|%\(\*?signature|(^|=)-?\*?signature(:\w+)?$/;

/** Sub-commands that print what is in the files of the work tree. */
const showsFiles = wordSet('diff diff-files diff-index grep blame');

/** `git status -v` prints what `git diff` does. */
function isVerbose({ text }: ShellWord): boolean {
  return /^(-\w*v|--v)/.test(text);
}

/** Global options end at the first word that is none. */
function subCommandAt(all: readonly ShellWord[]): number {
  let at = 0;
  while (at < all.length && all[at]!.prefix.startsWith('-')) {
    at += /^(-c|-C|--git-dir|--work-tree|--namespace|--config-env|--super-prefix|--attr-source)$/.test(
      all[at]!.text,
    )
      ? 2
      : 1;
  }
  return at;
}

/** Settings that only change what is printed. */
const harmlessSetting =
  /^(color\.[\w.]+=(true|false|always|never|auto)|core\.quotepath=(true|false|on|off)|core\.pager=cat|core\.abbrev=\d+|diff\.(renames|renamelimit|mnemonicprefix|noprefix|context)=\w+|log\.(date|decorate)=\w+|advice\.\w+=(true|false)|core\.fsmonitor=false|column\.ui=\w+|pager\.\w+=false)$/i;

function readGlobal(all: readonly ShellWord[], report: Reporter): { directory: ShellWord | null } {
  let directory: ShellWord | null = null;
  all.forEach((word, index) => {
    const value = all[index + 1];
    if (word.text === '-C' && value !== undefined) {
      if (directory !== null) report.doubt('`git -C` more than once is not followed');
      directory = value;
      if (value.kind === 'literal') report.read(value);
      else report.unknownProgram('`git -C` goes to a repository known only when it runs');
    }
    // git itself knows these only as words of their own.
    if (/^-[cC]./.test(word.text)) report.unknownProgram(`\`git\` has an unknown option ${word.text}`);
    if (word.text === '-c' && !harmlessSetting.test(value?.text ?? '')) {
      report.unknownProgram('`git -c` sets something that may start programs');
    }
  });
  return { directory };
}

/** git keeps to its repository, but for paths that lead out of it, which make `diff` compare any two files. */
function checkPaths(all: readonly ShellWord[], report: Reporter, moved: ShellWord | null): undefined {
  const dashes = all.findIndex(({ text }) => text === '--');
  all.forEach((word, index) => {
    const afterDashes = dashes !== -1 && index > dashes;
    const leads = /^\/|(^|\/)\.\.(\/|$)/;
    const outward = word.kind !== 'dynamic' && [word.text, ...word.values].some((text) => leads.test(text));
    const version = afterDashes ? undefined : versionIn(word);
    if (version !== undefined) {
      const fromFolder = moved !== null && /^\.\.?\//.test(version);
      report.readInRepository(fromFolder ? `${moved.text}/${version}` : version);
    } else if (outward && moved !== null) report.doubt(`${report.who} names ${word.text} after \`-C\``);
    else if (outward || (afterDashes && word.kind === 'dynamic')) report.read(word);
    else {
      const file = namedFile(word, afterDashes);
      if (file !== undefined) report.readInRepository(file);
    }
  });
}

/** For a rule a version of a file, such as `HEAD:a`, is the file too; so is one whose lines are followed, `-L1,5:a`. */
function versionIn({ kind, text }: ShellWord): string | undefined {
  if (kind !== 'literal') return undefined;
  if (text.startsWith('-')) return /^-L.*:([^:]+)$/s.exec(text)?.[1];
  return /^[^:]*:(?:[0-3]:)?(?![(!^/])(.+)$/s.exec(text)?.[1];
}

/** The file that a word names, as far as can be told; `:/a` and `:(top)a` begin at the top, other such words exclude. */
function namedFile({ kind, text }: ShellWord, isPath: boolean): string | undefined {
  if (kind !== 'literal' || text.startsWith('-')) return undefined;
  if (text.startsWith(':')) return /^:(?:\/|\((?!.*exclude)[^)]*\))(.+)$/s.exec(text)?.[1];
  return isPath || /(^|\/)\.[^./]|[^.]\.\w+$/.test(text) ? text : undefined;
}

function judgeOther(name: string, rest: readonly ShellWord[], report: Reporter): undefined {
  if (networked.has(name)) report.network(report.who);
  else if (changing.has(name)) report.doubt(`${report.who} changes the repository`);
  else if (starting.has(name)) report.unknownProgram(`${report.who} ${starts}`);
  else report.unknownProgram(`${report.who} is not a known sub-command and may be an alias for any program`);
  rest.forEach((word, index) => {
    const attached = /^--output(?:-directory)?=(.*)$/s.exec(word.text)?.[1];
    const next = /^(-o|--output|--output-directory)$/.test(word.text) ? rest[index + 1] : undefined;
    const written = attached === undefined ? next : literalWord(attached);
    if (written && /^(format-patch|archive|bundle)$/.test(name)) report.write(written);
  });
  if (printsFiles.has(name)) checkPaths(name === 'archive' ? asPaths(rest) : rest, report, null);
  if (name === 'rebase') return runEach(rest, report);
  if (name === 'submodule' || name === 'for-each-repo') mayStartAny(rest, report);
  if (name === 'bisect' && rest[0]?.text === 'run') return report.start(rest.slice(1));
  const risky = rest.some((word) => startingOption.test(word.text) && riskyFor(name, word.text));
  if (risky || rest.some(({ text }) => /^ext::/.test(text))) report.unknownProgram(`${report.who} ${starts}`);
}

/** Changing sub-commands that print what files held. */
const printsFiles = wordSet('archive format-patch fast-export');

/** A word after the tree is a path, as if behind dashes. */
function asPaths(rest: readonly ShellWord[]): ShellWord[] {
  const tree = rest.findIndex(({ prefix }) => !prefix.startsWith('-'));
  return tree === -1 ? [] : [rest[tree]!, literalWord('--'), ...rest.slice(tree + 1)];
}

/** `-x` and `--exec`, each time they occur and however they are cut short, run a command line. */
function runEach(rest: readonly ShellWord[], report: Reporter): undefined {
  rest.forEach((word, index) => {
    const [, attached] =
      /^--ex(?:e|ec)?(?:=(.*))?$/s.exec(word.prefix) ?? /^-[a-wyzA-RT-WYZ]*x(.*)$/s.exec(word.prefix) ?? [];
    const isExec = /^--ex(ec?)?(=|$)|^-[a-wyzA-RT-WYZ]*x/.test(word.prefix);
    if (!isExec) return;
    if (word.kind !== 'literal')
      report.unknownProgram(`${report.who} runs a command known only when it runs`);
    else report.runScript(attached ? literalWord(attached) : (rest[index + 1] ?? unknownWord));
  });
  if (rest.some(({ text }) => /^(-s|--strat|--gpg|-S)/.test(text)))
    report.unknownProgram(`${report.who} ${starts}`);
}

/** The same letters mean other things elsewhere: `commit -c`, `push -u`. */
function riskyFor(name: string, option: string): boolean {
  if (option.startsWith('-x')) return false;
  if (option.startsWith('-u')) return name === 'clone' || name === 'fetch-pack';
  if (option.startsWith('-c')) return name === 'clone';
  if (option.startsWith('-s')) return /^(merge|pull|rebase|cherry-pick|revert)$/.test(name);
  return true;
}
