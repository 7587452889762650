import { sameFor } from '../name-lists.js';
import { type ShellWord, unknownWord } from '../shell-word.js';
import { examineFind } from './find.js';
import { judge } from './judge.js';
import type { ProgramModel, ProgramTable, Reporter } from './model.js';

const versionOnly = '--help --version';
const followsLinks = 'follows links, which may lead outside';

const grep: ProgramModel = {
  numeric: true,
  harmless: `-EFGPivwxczLlqosbHhnTZarUyI -e= -m= -A= -B= -C= -d= -D= --extended-regexp --fixed-strings --basic-regexp --perl-regexp --regexp= --ignore-case --no-ignore-case --invert-match --word-regexp --line-regexp --count --color? --colour? --files-without-match --files-with-matches --max-count= --only-matching --quiet --silent --no-messages --byte-offset --with-filename --no-filename --label= --line-number --initial-tab --null --null-data --after-context= --before-context= --context= --text --binary-files= --devices= --directories= --exclude= --exclude-dir= --include= --recursive --line-buffered --binary --group-separator= --no-group-separator -V ${versionOnly}`,
  reads: '-f= --file= --exclude-from=',
  strays: { '-R --dereference-recursive': followsLinks },
  operands: {
    first: 'text',
    rest: 'read',
    unless: '-e -f --regexp --file',
    implied: '.',
    impliedWith: '-r --recursive -R --dereference-recursive',
  },
  check: ({ options }, report) => {
    if (options.some(({ name, value }) => /^(-d|--directories)$/.test(name) && value?.text === 'recurse')) {
      report.doubt('`grep -d recurse` is spelled `grep -r`');
    }
    return undefined;
  },
};

const ls: ProgramModel = {
  harmless: `-aAbBcCdDfFgGhHiklLmnNopqQrRsStuUvxXZ1 -I= -T= -w= --all --almost-all --author --escape --block-size= --ignore-backups --color? --directory --dired --classify? --file-type --format= --full-time --group-directories-first --no-group --human-readable --si --dereference-command-line --dereference-command-line-symlink-to-dir --hide= --hyperlink? --indicator-style= --inode --ignore= --kibibytes --dereference --numeric-uid-gid --literal --hide-control-chars --show-control-chars --quote-name --quoting-style= --reverse --recursive --size --sort= --time= --time-style= --tabsize= --width= --context --zero ${versionOnly}`,
  operands: { rest: 'read', implied: '.' },
  check: ({ options }, report) => {
    const has = (...names: string[]) => options.some(({ name }) => names.includes(name));
    if (has('-R', '--recursive') && has('-L', '--dereference'))
      report.doubt(`${report.who} with -R and -L ${followsLinks}`);
    return undefined;
  },
};

const rg: ProgramModel = {
  style: 'exact',
  harmless:
    '-. -0acFHhiIlNnopPqsSUuvVwx -A= -B= -C= -E= -M= -T= -d= -e= -g= -j= -m= -r= -t= --after-context= --before-context= --context= --context-separator= --no-context-separator --auto-hybrid-regex --binary --block-buffered --byte-offset --case-sensitive --color= --colors= --column --no-column --count --count-matches --crlf --debug --dfa-size-limit= --encoding= --engine= --field-context-separator= --field-match-separator= --files --files-with-matches --files-without-match --fixed-strings --generate= --glob= --glob-case-insensitive --heading --no-heading --help --hidden --no-hidden --hyperlink-format= --iglob= --ignore-case --ignore-file-case-insensitive --include-zero --invert-match --json --line-buffered --line-number --no-line-number --line-regexp --max-columns= --max-columns-preview --max-count= --max-depth= --maxdepth= --max-filesize= --mmap --no-mmap --multiline --multiline-dotall --no-config --no-ignore --no-ignore-dot --no-ignore-exclude --no-ignore-files --no-ignore-global --no-ignore-messages --no-ignore-parent --no-ignore-vcs --no-messages --no-require-git --no-unicode --null --null-data --one-file-system --only-matching --passthru --passthrough --path-separator= --pcre2 --pcre2-version --pre-glob= --pretty --no-pre --quiet --regex-size-limit= --regexp= --replace= --smart-case --sort= --sortr= --stats --stop-on-nonmatch --text --threads= --trace --trim --no-trim --type= --type-add= --type-clear= --type-list --type-not= --unrestricted --version --vimgrep --with-filename --no-filename --word-regexp',
  reads: '-f= --file= --ignore-file=',
  executes: '--pre= --hostname-bin=',
  launches: { '-z --search-zip': 'starts programs that decompress' },
  strays: { '-L --follow': followsLinks },
  operands: {
    first: 'text',
    rest: 'read',
    unless: '-e --regexp -f --file --files --type-list',
    implied: '.',
  },
};

const fd: ProgramModel = {
  style: 'exact',
  harmless:
    '-HIusigFap0q1 -d= -t= -e= -E= -S= -c= -j= -o= --hidden --no-ignore --no-ignore-vcs --no-ignore-parent --unrestricted --case-sensitive --ignore-case --glob --regex --fixed-strings --absolute-path --full-path --max-depth= --min-depth= --exact-depth= --prune --type= --extension= --exclude= --size= --changed-within= --changed-before= --changed-after= --newer= --older= --owner= --format= --and= --color= --threads= --max-results= --quiet --print0 --strip-cwd-prefix? --one-file-system --path-separator= --show-errors --help --version -h -V',
  reads: '--search-path= --base-directory= -C= --ignore-file=',
  launches: { '-l --list-details': 'starts `ls`' },
  strays: { '-L --follow': followsLinks },
  operands: { first: 'text', rest: 'read', implied: '.' },
};

/** Whatever follows `--exec` is a command of its own; without `{}` the name found is its last word. */
function examineFd(words: readonly ShellWord[], report: Reporter): undefined {
  const at = words.findIndex(({ text }) => /^(-x|-X|--exec|--exec-batch)$/.test(text));
  judge(fd, at === -1 ? words : words.slice(0, at), report);
  const clustered = words.some(
    ({ text }) => /^-[a-zA-Z0-9]*[xX]/.test(text) || /^--exec(-batch)?=/.test(text),
  );
  if (clustered && at === -1) report.unknownProgram('`fd` runs a program for what it finds');
  if (at !== -1) report.start([...words.slice(at + 1).filter(({ text }) => text !== ';'), unknownWord]);
}

export const search: ProgramTable = {
  ...sameFor('ls dir', ls),
  ...sameFor('grep egrep fgrep', grep),
  rg,
  ...sameFor('fd fdfind', { examine: examineFd }),
  find: { examine: examineFind },
  tree: {
    style: 'exact',
    letters: 'no-values',
    harmless:
      '-adfixqNQpugshDFvtcUrnACSJXS -L= -I= -P= --gitignore --noreport --charset= --filelimit= --dirsfirst --filesfirst --prune --matchdirs --ignore-case --du --si --inodes --device --sort= --timefmt= --help --version --metafirst --nolinks',
    writes: '-o=',
    refused: {
      '-l': followsLinks,
      '-R': 'may write files',
      '--fromfile --fromtabfile': 'reads a list of files',
    },
    operands: { rest: 'read', implied: '.' },
  },
  du: {
    harmless: `-0abcDhHklmPsSx -B= -d= -t= --null --all --apparent-size --block-size= --bytes --total --dereference-args --max-depth= --human-readable --inodes --count-links --no-dereference --separate-dirs --si --summarize --threshold= --time? --time-style= --exclude= --one-file-system ${versionOnly}`,
    reads: '-X= --exclude-from=',
    strays: { '--files0-from=': 'reads a list of files', '-L --dereference': followsLinks },
    operands: { rest: 'read', implied: '.' },
  },
  df: {
    harmless: `-ahHiklPTv -B= -t= -x= --all --block-size= --human-readable --si --inodes --local --no-sync --output? --portability --print-type --total --type= --exclude-type= ${versionOnly}`,
    operands: 'read',
  },
  stat: {
    harmless: `-fLt -c= --cached= --dereference --file-system --format= --printf= --terse ${versionOnly}`,
    operands: 'read',
  },
  file: {
    harmless:
      '-0bdhiklLnNrsv -e= -F= -P= --apple --brief --dereference --no-dereference --exclude= --extension --keep-going --mime --mime-encoding --mime-type --no-buffer --no-pad --print0 --raw --separator= --help --version',
    reads: '-m= --magic-file=',
    launches: {
      '-z -Z -S --uncompress --uncompress-noreport --no-sandbox': 'may start other programs',
      '-C --compile': 'writes a file',
      '-p --preserve-date': 'sets the times of files',
    },
    strays: { '-f= --files-from=': 'reads a list of files' },
    operands: 'read',
  },
};
