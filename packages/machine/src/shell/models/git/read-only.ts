import { mayBeOption } from '../../shell-word.js';
import type { OperandRole, ProgramModel, ProgramTable, Reporter, Verdict } from '../model.js';
import type { ReadArguments } from '../read-arguments.js';

const starts = 'may start other programs';
const remerges = 'merges again, which writes objects and may start programs';

const diffHarmless =
  '-abBDpRsuwWz -U= -l= -M? -C? -S= -G= -X? --patch --no-patch --unified= --raw --patch-with-raw --patch-with-stat --stat? --numstat --shortstat --dirstat? --cumulative --dirstat-by-file? --summary --name-only --name-status --submodule? --color? --no-color --color-moved? --no-color-moved --color-moved-ws= --word-diff? --word-diff-regex= --color-words? --no-renames --rename-empty --no-rename-empty --check --ws-error-highlight= --full-index --binary --abbrev? --no-abbrev --break-rewrites? --find-renames? --find-copies? --find-copies-harder --irreversible-delete --diff-filter= --find-object= --pickaxe-all --pickaxe-regex --skip-to= --rotate-to= --relative? --no-relative --text --ignore-cr-at-eol --ignore-space-at-eol --ignore-space-change --ignore-all-space --ignore-blank-lines --ignore-matching-lines= --inter-hunk-context= --function-context --exit-code --quiet --no-ext-diff --no-textconv --ignore-submodules? --src-prefix= --dst-prefix= --no-prefix --default-prefix --line-prefix= --ita-invisible-in-index --minimal --patience --histogram --anchored= --diff-algorithm= --indent-heuristic --no-indent-heuristic --compact-summary --cached --staged --merge-base --stat-width= --stat-count= --stat-name-width= --stat-graph-width= --output-indicator-new= --output-indicator-old= --output-indicator-context=';

const logHarmless =
  '-n= -L= -g -i -E -F -P -c -m -r -t --max-count= --skip= --since= --after= --until= --before= --since-as-filter= --author= --committer= --grep= --grep-reflog= --all-match --invert-grep --regexp-ignore-case --basic-regexp --extended-regexp --fixed-strings --perl-regexp --merges --no-merges --min-parents= --max-parents= --no-min-parents --no-max-parents --first-parent --not --all --branches? --tags? --remotes? --glob= --exclude= --exclude-hidden= --reflog --alternate-refs --single-worktree --ignore-missing --bisect --cherry-mark --cherry-pick --left-only --right-only --cherry --walk-reflogs --merge --boundary --simplify-by-decoration --show-pulls --full-history --dense --sparse --simplify-merges --ancestry-path? --date-order --author-date-order --topo-order --reverse --no-walk? --do-walk --abbrev-commit --no-abbrev-commit --oneline --encoding= --expand-tabs? --no-expand-tabs --notes? --no-notes --show-notes? --relative-date --date= --parents --children --left-right --graph --no-graph --show-linear-break? --decorate? --no-decorate --decorate-refs= --decorate-refs-exclude= --clear-decorations --source --mailmap --use-mailmap --no-mailmap --no-use-mailmap --full-diff --log-size --follow --cc --combined-all-paths --diff-merges= --no-diff-merges --count --objects --objects-edge --use-bitmap-index --timestamp --header --disk-usage? --pretty? --format= --in-commit-order --stdin';

const showsHistory: ProgramModel = {
  numeric: true,
  harmless: `${diffHarmless} ${logHarmless} --quiet -q`,
  reads: '-O=',
  writes: '--output=',
  launches: {
    '--ext-diff --textconv --show-signature': starts,
    '--no-index': 'compares files outside the repository',
    '--remerge-diff': remerges,
  },
  check: ({ options }, report) => {
    const merges = options.filter(({ name }) => name === '--diff-merges');
    if (merges.some(({ value }) => value?.kind !== 'literal' || /^r/.test(value.text)))
      report.unknownProgram(`${report.who} ${remerges}`);
    return undefined;
  },
};

/** Here `--` does not keep what follows it from being an option. */
function withoutLateOptions(args: ReadArguments, report: Reporter): Verdict | undefined {
  if (args.operands.some(mayBeOption)) report.unknownProgram(`${report.who} may take a word for an option`);
  return showsHistory.check?.(args, report);
}

/** Lists unless a name is given without one of the options that make it list. */
function listing(harmless: string, listOptions: string): ProgramModel {
  return {
    harmless,
    check: ({ options, operands }, report) => {
      const lists = options.some(({ name }) => listOptions.split(' ').includes(name));
      if (operands.length > 0 && !lists) report.doubt(`${report.who} changes the repository`);
      return undefined;
    },
  };
}

/** A program that is harmless with one of these first words alone. */
function onlyWith(first: readonly string[], harmless: string): ProgramModel {
  return {
    harmless,
    check: ({ operands }, report) => {
      if (!first.includes(operands[0]?.text ?? '')) report.doubt(`${report.who} changes the repository`);
      return undefined;
    },
  };
}

const text: OperandRole = 'text';
const refFormat =
  '--format= --sort= --color? --no-color --column? --no-column -i --ignore-case --contains? --no-contains? --merged? --no-merged? --points-at=';
const listOptions = '-l --list --contains --no-contains --merged --no-merged --points-at';

/** Sub-commands of git that only read, with the options for which that holds. */
export const readOnlyGit: ProgramTable = {
  status: {
    harmless:
      '-vsbz -u? -M? --verbose --short --branch --show-stash --ahead-behind --no-ahead-behind --porcelain? --long --null --untracked-files? --ignored? --ignore-submodules? --column? --no-column --no-renames --renames --find-renames?',
  },
  diff: { ...showsHistory, harmless: `${diffHarmless} --base --ours --theirs -0 -1 -2 -3 -q --cc -c -r -t` },
  log: showsHistory,
  show: showsHistory,
  whatchanged: showsHistory,
  reflog: {
    ...showsHistory,
    check: (args, report) => {
      const [first] = args.operands;
      if (first && (first.kind !== 'literal' || /^(expire|delete|drop|write)$/.test(first.text))) {
        report.doubt('`git reflog` changes the repository');
      }
      return showsHistory.check?.(args, report);
    },
  },
  'diff-tree': {
    ...showsHistory,
    harmless: `${diffHarmless} ${logHarmless} --root --stdin --no-commit-id -v`,
  },
  'diff-index': { ...showsHistory, harmless: `${diffHarmless} -m` },
  'diff-files': { ...showsHistory, harmless: `${diffHarmless} -0 -1 -2 -3 -q --base --ours --theirs` },
  'range-diff': {
    ...showsHistory,
    harmless: `${diffHarmless} --creation-factor= --no-dual-color --left-only --right-only`,
  },
  'rev-list': showsHistory,
  shortlog: {
    ...showsHistory,
    harmless: `${logHarmless} -n -s -e -w? --numbered --summary --email --group= -c`,
  },
  cherry: { harmless: '-v --abbrev? --verbose' },
  'rev-parse': {
    harmless:
      '-q --verify --quiet --short? --abbrev-ref? --symbolic --symbolic-full-name --all --branches? --tags? --remotes? --show-toplevel --show-prefix --show-cdup --show-superproject-working-tree --show-object-format? --git-dir --absolute-git-dir --git-common-dir --git-path= --is-inside-git-dir --is-inside-work-tree --is-bare-repository --is-shallow-repository --path-format= --revs-only --no-revs --flags --no-flags --not --sq --default= --since= --until= --shared-index-path --local-env-vars',
    check: ({ options, operands }) => {
      const plain = options.every(({ name }) => /^(-q|--verify|--quiet|--short|--abbrev-ref)$/.test(name));
      const named =
        operands.length > 0 &&
        operands.every(
          ({ kind, text: name }) =>
            kind === 'literal' && /^[\w./@{}~^-]+$/.test(name) && !/^[-/]|\.\./.test(name),
        );
      if (!plain || !named) return {};
      // Whoever made a repository may have named its branches and tags like options.
      return { prints: options.some(({ name }) => name === '--abbrev-ref') ? 'name' : 'token' };
    },
  },
  'merge-base': {
    harmless: '-a --all --octopus --independent --is-ancestor --fork-point',
    check: () => ({ prints: 'token' }),
  },
  branch: {
    ...listing(
      `-avrlq --all --verbose --remotes --list --quiet --abbrev? --no-abbrev --show-current ${refFormat}`,
      listOptions,
    ),
  },
  tag: listing(`-l -n? --list ${refFormat}`, `${listOptions} -n`),
  'for-each-ref': {
    harmless: `-spqt --shell --perl --python --tcl --count= --stdin ${refFormat} --include-root-refs --omit-empty`,
  },
  'show-ref': {
    harmless:
      '-dqs --head --heads --branches --tags --verify --exists --dereference --hash? --abbrev? --quiet',
  },
  'show-branch': {
    harmless:
      '-ar --all --remotes --current --topo-order --sparse --list --no-name --sha1-name --topics --more? --color? --no-color -g?',
  },
  'name-rev': {
    harmless: '--tags --all --name-only --refs= --exclude= --always --no-undefined --stdin --annotate-stdin',
  },
  'symbolic-ref': {
    harmless: '-q --short --quiet --recurse --no-recurse',
    check: ({ operands }, report) => {
      if (operands.length !== 1 || operands[0]!.loose)
        report.doubt('`git symbolic-ref` changes the repository');
      return { prints: 'name' };
    },
  },
  describe: {
    harmless:
      '--contains --debug --all --tags --long --first-parent --abbrev? --exact-match --candidates= --match= --exclude= --always',
    refused: { '--dirty? --broken?': 'refreshes the index' },
    check: ({ options }) => (options.every(({ value }) => value === null) ? { prints: 'name' } : {}),
  },
  'ls-files': {
    harmless:
      '-ztvfcdmoisku -x= --cached --deleted --modified --others --ignored --stage --killed --directory --no-empty-directory --eol --unmerged --resolve-undo --exclude= --exclude-per-directory= --exclude-standard --full-name --recurse-submodules --error-unmatch --with-tree= --abbrev? --debug --deduplicate --sparse --format=',
    reads: '-X= --exclude-from=',
  },
  'ls-tree': {
    harmless:
      '-drtlz --long --name-only --name-status --object-only --full-name --full-tree --abbrev? --format=',
  },
  'cat-file': {
    harmless:
      '-eptsZz --allow-unknown-type --use-mailmap --mailmap --batch? --batch-check? --batch-command? --batch-all-objects --buffer --unordered --follow-symlinks --path=',
    launches: { '--textconv --filters': starts },
  },
  blame: {
    writes: '--output=',
    harmless:
      '-bfnpctlsewM -L= -C? -M? --incremental --root --show-stats --progress --no-progress --score-debug --show-name --show-number --porcelain --line-porcelain --show-email --ignore-rev= --color-lines --color-by-age --minimal --abbrev? --date= --since= --first-parent --encoding= --reverse',
    reads: '-S= --contents= --ignore-revs-file=',
    // `-- file revision` is taken as well, and an option for that revision.
    check: withoutLateOptions,
  },
  grep: {
    numeric: true,
    harmless:
      '-viwaIrEGFPnhHlLzocpWq -e= -A= -B= -C= -m= --cached --untracked --exclude-standard --no-exclude-standard --recurse-submodules --invert-match --ignore-case --word-regexp --text --no-textconv --recursive --no-recursive --max-depth= --extended-regexp --basic-regexp --fixed-strings --perl-regexp --line-number --column --full-name --files-with-matches --name-only --files-without-match --null --only-matching --count --color? --no-color --break --heading --context= --before-context= --after-context= --threads= --show-function --function-context --and --or --not --quiet --all-match --max-count=',
    reads: '-f=',
    launches: {
      '-O? --open-files-in-pager? --textconv --ext-grep': starts,
      '--no-index': 'searches outside the repository',
    },
  },
  remote: {
    harmless: '-v --verbose --push --all -n',
    check: ({ operands }, report) => {
      const first = operands[0]?.text;
      if (first === 'show' || first === 'update' || first === 'prune') report.network('`git remote`');
      else if (first !== undefined && first !== 'get-url')
        report.doubt('`git remote` changes the repository');
      return undefined;
    },
  },
  config: {
    // A word after a key is its new value, even if it looks like an option.
    style: 'posix',
    harmless:
      '-z --get --get-all --get-urlmatch --null --name-only --show-origin --show-scope --global --local --system --worktree --type= --bool --int --bool-or-int --path --expiry-date --default= --includes --no-includes --fixed-value',
    reads: '-f= --file=',
    refused: { '-l --list --get-regexp': 'may show credentials' },
    check: ({ options, operands }, report) => {
      const asks = operands[0]?.text === 'get' && operands.length === 2 && !mayBeOption(operands[1]!);
      const gets = asks || options.some(({ name }) => /^--get(-all|-urlmatch)?$/.test(name));
      // Without a dot it is a sub-command, and not a key.
      const [key] = operands;
      if (!gets && (operands.length !== 1 || key?.kind !== 'literal' || !key.text.includes('.')))
        report.doubt('`git config` may change the configuration');
      if (operands[0]?.text === 'list') report.doubt('`git config list` may show credentials');
      return undefined;
    },
  },
  // `git stash` hands its words on to `git log`, but not the `--` before them.
  stash: { ...showsHistory, check: withoutLateOptions },
  worktree: onlyWith(['list'], '-vz --porcelain --verbose'),
  notes: onlyWith(['list', 'show'], '--ref='),
  'check-ignore': { harmless: '-qvzn --quiet --verbose --stdin --non-matching --no-index' },
  'check-attr': { harmless: '-az --all --cached --stdin --source=' },
  'check-ref-format': {
    harmless: '--branch --normalize --allow-onelevel --no-allow-onelevel --refspec-pattern',
  },
  'count-objects': { harmless: '-vH --verbose --human-readable', operands: text },
  version: { harmless: '--build-options', operands: 'none' },
};
