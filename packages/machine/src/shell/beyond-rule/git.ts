import type { ProgramReach } from './program-reach.js';

const commit =
  '-a -q -v -n -s -p -e -i -o -u? -z -m= -F= -C= -c= -t= --message= --file= --author= --date= --all --amend --no-edit --edit --no-verify --allow-empty --allow-empty-message --signoff --no-signoff --quiet --verbose --dry-run --patch --only --include --fixup= --squash= --reuse-message= --reedit-message= --reset-author --cleanup= --trailer= --no-gpg-sign --short --branch --porcelain --long --null --status --no-status --untracked-files? --pathspec-from-file= --pathspec-file-nul';
const commitSigns = '-S? --gpg-sign? --template=';

const common =
  '-q --quiet -v --verbose -n --dry-run -f --force -a --all -b= -B= -d -D -m -M -r -l -p --patch -u --prune --tags --no-tags --depth= --rebase? --no-rebase --ff-only --no-ff --ff --autostash --no-verify --no-edit --abort --continue --skip --quit -i --interactive --onto= --root --autosquash --no-autosquash --keep-empty --soft --mixed --hard --merge --keep --staged --worktree -S -W --source= -s= --ours --theirs --track -t --no-track --detach --orphan= --delete --set-upstream --follow-tags --force-with-lease? --atomic --porcelain --set-upstream-to= --unset-upstream --list --sort= --contains= --merged? --no-merged? --message= --squash --no-commit --allow-unrelated-histories --mainline= -x -X= -A --update -N --intent-to-add --renormalize --chmod= --ignore-errors --cached -R --recursive --include-untracked --keep-index --index --stat --3way --check --whitespace= --reject -e= --exclude= --signoff --no-signoff --committer-date-is-author-date --ignore-date --fork-point --no-fork-point --rebase-merges? --update-refs --ref-format= --initial-branch= --bare --mirror --branch= --single-branch --no-single-branch --shallow-since= --recurse-submodules? --jobs= --unshallow';

/** A program, another repository, another configuration: whichever sub-command takes them. */
const everywhere =
  '--exec= --upload-pack= --receive-pack= --config= --gpg-sign? --strategy= --extcmd= --open-files-in-pager? --git-dir= --work-tree= --separate-git-dir= --reference= --reference-if-able= --exec-path= --output= --output-directory= --ext-diff --textconv --show-signature --tool= --smtp-server= --unsafe-paths --remote= --super-prefix= --namespace= --directory= --server-option= --prefix= --path-format= --edit-description --local-user=';

/** `ext::` starts a program; an address with a scheme, or like `me@host:path` or `host.org:path`, names another machine. */
const address = /^[\w-]+::|:\/\/|^[\w.-]+@[\w.-]+:|^[\w-]+(?:\.[\w-]+)+:/;

const sub = (more: Partial<ProgramReach> = {}): ProgramReach => ({
  ...more,
  reaches: `${everywhere} --template= ${more.reaches ?? ''}`,
  plain: `${common} ${more.plain ?? ''}`,
  operands: more.operands ?? address,
});

/** Letters mean other things in each: `-x` starts a program in `rebase` and is harmless in `cherry-pick`. */
const subs: Readonly<Record<string, ProgramReach>> = {
  commit: { reaches: `${everywhere} ${commitSigns}`, plain: commit },
  rebase: sub({ reaches: '-x= -S? -s=' }),
  merge: sub({ plain: '-m= -F= --log? --stat -e --edit', reaches: '-s= -S?' }),
  pull: sub({ reaches: '-s= -S?' }),
  'cherry-pick': sub({ reaches: '-S?', plain: '-m= -e --edit' }),
  revert: sub({ reaches: '-S?', plain: '-m= -e --edit' }),
  am: sub({ reaches: '-S?' }),
  tag: sub({ plain: '-m= -F= -a -d -l -n? --annotate', reaches: '-s -u=' }),
  push: sub({ reaches: '--repo=', plain: '-u -o= --push-option=' }),
  clone: sub({ reaches: '-u= -c= -o=', plain: '-b= -j=' }),
  init: sub({ plain: '-b=' }),
  stash: sub({ plain: '-m=' }),
  branch: sub({ plain: '-m -M -c -C -u=' }),
  switch: sub({ plain: '-c= -C=' }),
  checkout: sub({ plain: '-b= -B= -l' }),
  notes: sub({ plain: '-m= -F= -C= -c= --ref=' }),
  bisect: sub({ operands: /^run$/ }),
  submodule: sub({ operands: new RegExp(`^foreach$|${address.source}`) }),
  config: sub({ reaches: '-f= --file= --blob= --global --system --worktree -e --edit' }),
  worktree: sub({ plain: '-b= -B= --lock --reason=' }),
  archive: sub({ reaches: '-o=', plain: '--format=' }),
  'format-patch': sub({ reaches: '-o=' }),
  '*': sub(),
};

/** Anything before the sub-command that is not about printing names a place or changes what is run. */
export const gitReach: ProgramReach = {
  reaches:
    '-C= -c= --git-dir= --work-tree= --exec-path? --namespace= --config-env= --super-prefix= --attr-source= -p --paginate --bare --help -h --html-path --man-path --info-path',
  plain:
    '-P --no-pager --no-optional-locks --no-replace-objects --no-lazy-fetch --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --version -v --no-advice',
  subs,
};
