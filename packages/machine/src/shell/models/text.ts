import { examineAwk } from '../languages/awk.js';
import { examineSed } from '../languages/sed.js';
import { sameFor } from '../name-lists.js';
import { folderOfGlob } from '../paths.js';
import { belowThroughLinks } from '../shell-word.js';
import type { ProgramModel, ProgramTable, Reporter, Verdict } from './model.js';
import type { ReadArguments } from './read-arguments.js';

const versionOnly = '--help --version';
const listOfFiles = 'reads the files that a list names';

const checksum: ProgramModel = {
  harmless: `-btz --binary --text --tag --zero ${versionOnly}`,
  strays: { '-c --check': listOfFiles },
  operands: 'read',
};

const sed: ProgramModel = {
  harmless: `-nErusz -l= --quiet --silent --regexp-extended --separate --unbuffered --null-data --posix --debug --sandbox --line-length= -e= --expression= ${versionOnly}`,
  reads: '-f= --file=',
  refused: { '-i? --in-place?': 'changes files', '--follow-symlinks': 'is for changing files' },
  check: examineSed,
};

const awk: ProgramModel = {
  style: 'posix',
  harmless:
    '-F= -v= --field-separator= --assign= --re-interval --posix --traditional --characters-as-bytes --version --help',
  reads: '-f= --file=',
  launches: {
    '-o? -p? -d? --dump-variables? --pretty-print? --profile?': 'writes a file',
    '-i= -l= -E= --include= --load= --exec=': 'loads code from elsewhere',
  },
  check: examineAwk,
};

/** Programs that read files or standard input and print text made of it. */
export const text: ProgramTable = {
  cat: {
    harmless: `-AbeEnstTuv --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting ${versionOnly}`,
    operands: 'read',
  },
  head: {
    numeric: true,
    harmless: `-qvz -n= -c= --lines= --bytes= --quiet --silent --verbose --zero-terminated ${versionOnly}`,
    operands: 'read',
  },
  tail: {
    numeric: true,
    harmless: `-qvz -n= -c= --lines= --bytes= --quiet --silent --verbose --zero-terminated -s= --sleep-interval= --pid= --retry --max-unchanged-stats= ${versionOnly}`,
    strays: { '-f -F --follow?': 'never ends' },
    operands: 'read',
  },
  wc: {
    harmless: `-clmwL --bytes --chars --lines --words --max-line-length --total= ${versionOnly}`,
    strays: { '--files0-from=': listOfFiles },
    operands: 'read',
  },
  sort: {
    harmless: `-bdfgiMhnRrVcCmsuz -k= -t= -S= --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort --ignore-nonprinting --month-sort --human-numeric-sort --numeric-sort --random-sort --reverse --version-sort --sort= --batch-size= --check? --debug --key= --merge --stable --buffer-size= --field-separator= --parallel= --unique --zero-terminated ${versionOnly}`,
    reads: '--random-source=',
    writes: '-o= --output= -T= --temporary-directory=',
    strays: { '--files0-from=': listOfFiles },
    executes: '--compress-program=',
    operands: 'read',
  },
  uniq: {
    harmless: `-cdDiuz -f= -s= -w= --count --repeated --all-repeated? --skip-fields= --group? --ignore-case --skip-chars= --unique --zero-terminated --check-chars= ${versionOnly}`,
    operands: { first: 'read', rest: 'write' },
  },
  cut: {
    harmless: `-nsz -b= -c= -d= -f= --bytes= --characters= --delimiter= --fields= --complement --only-delimited --output-delimiter= --zero-terminated ${versionOnly}`,
    operands: 'read',
  },
  tr: {
    style: 'posix',
    harmless: `-cCdst --complement --delete --squeeze-repeats --truncate-set1 ${versionOnly}`,
  },
  paste: { harmless: `-sz -d= --delimiters= --serial --zero-terminated ${versionOnly}`, operands: 'read' },
  comm: {
    harmless: `-123z --check-order --nocheck-order --output-delimiter= --total --zero-terminated ${versionOnly}`,
    operands: 'read',
  },
  join: {
    harmless: `-iz -a= -e= -j= -o= -t= -v= -1= -2= --ignore-case --check-order --nocheck-order --header --zero-terminated ${versionOnly}`,
    operands: 'read',
  },
  nl: {
    harmless: `-p -b= -d= -f= -h= -i= -l= -n= -s= -v= -w= --body-numbering= --number-format= --number-width= --number-separator= --starting-line-number= --line-increment= ${versionOnly}`,
    operands: 'read',
  },
  od: {
    harmless: `-abcdfilosxv -A= -j= -N= -S= -t= -w? --address-radix= --endian= --format= --read-bytes= --skip-bytes= --strings? --output-duplicates --width? --traditional ${versionOnly}`,
    operands: 'read',
  },
  fold: { harmless: `-bs -w= --bytes --spaces --width= ${versionOnly}`, operands: 'read' },
  fmt: { harmless: `-cstu -p= -w= --width= --split-only ${versionOnly}`, operands: 'read' },
  expand: { harmless: `-i -t= --initial --tabs= ${versionOnly}`, operands: 'read' },
  unexpand: { harmless: `-a -t= --all --first-only --tabs= ${versionOnly}`, operands: 'read' },
  rev: { harmless: '-0 -h --help -V --version --zero', operands: 'read' },
  tac: { harmless: `-br -s= --before --regex --separator= ${versionOnly}`, operands: 'read' },
  tsort: { harmless: versionOnly, operands: 'read' },
  column: {
    harmless:
      '-tnxeLJd -s= -o= -c= -N= -R= -H= -T= -W= -O= -E= --table --json --separator= --output-separator= --output-width= --table-columns= --table-right= --table-noheadings --keep-empty-lines -h -V --help --version',
    operands: 'read',
  },
  diff: {
    numeric: true,
    harmless: `-abBcdeEinNpqrstTuwyZ -U= -C= -F= -I= -x= -S= -W= -D= --brief --color? --context? --unified? --ed --exclude= --expand-tabs --ignore-all-space --ignore-blank-lines --ignore-case --ignore-file-name-case --ignore-matching-lines= --ignore-space-change --ignore-tab-expansion --ignore-trailing-space --initial-tab --label= --left-column --line-format= --old-line-format= --new-line-format= --unchanged-line-format= --minimal --new-file --no-dereference --normal --palette= --rcs --recursive --report-identical-files --show-c-function --show-function-line= --side-by-side --speed-large-files --starting-file= --strip-trailing-cr --suppress-blank-empty --suppress-common-lines --tabsize= --text --unidirectional-new-file --width= ${versionOnly}`,
    reads: '-X= --exclude-from= --from-file= --to-file=',
    launches: { '-l --paginate': 'starts `pr`' },
    operands: 'read',
    // Of two folders, diff opens the files that are in both, links included.
    check({ operands, options }, report) {
      if (options.some(({ name }) => name === '--no-dereference')) return undefined;
      const folders = operands.flatMap(({ kind, text, values }) =>
        kind === 'glob' ? (folderOfGlob(text) ?? []) : values,
      );
      for (const folder of folders) report.read(belowThroughLinks(folder));
      return undefined;
    },
  },
  cmp: {
    harmless: `-bls -i= -n= --print-bytes --ignore-initial= --verbose --bytes= --quiet --silent ${versionOnly}`,
    operands: { rest: 'read' },
  },
  ...sameFor('md5sum sha1sum sha256sum sha512sum', checksum),
  cksum: { harmless: `-a= --algorithm= ${versionOnly}`, operands: 'read' },
  strings: {
    harmless: '-aw -n= -t= -e= -s= --all --bytes= --radix= --encoding= --help --version',
    operands: 'read',
    check: ({ operands }, report) => {
      if (operands.some(({ text }) => /^[@*?[]/.test(text)))
        report.doubt('`strings` reads options from a file');
      return undefined;
    },
  },
  hexdump: {
    harmless: '-bcCdovx -n= -s= -e= --canonical --length= --skip= --help --version',
    operands: 'read',
  },
  xxd: {
    style: 'posix',
    letters: 'single',
    harmless: '-abeEiuv -c= -g= -l= -s= -o=',
    refused: { '-r': 'may write a file' },
    operands: { first: 'read', rest: 'write' },
  },
  base64: { harmless: `-di -w= --decode --ignore-garbage --wrap= ${versionOnly}`, operands: 'read' },
  zcat: { harmless: '-f --force --help --version', operands: 'read' },
  sed,
  ...sameFor('awk gawk mawk', awk),
  jq: {
    style: 'exact',
    harmless:
      '-ncrjsSeaCMRh --null-input --compact-output --raw-output --join-output --slurp --sort-keys --exit-status --ascii-output --color-output --monochrome-output --raw-input --tab --indent= --unbuffered --stream --stream-errors --seq --raw-output0 --arg== --argjson== --args --jsonargs --help --version',
    reads: '-f= --from-file= -L= --library-path= --slurpfile== --rawfile==',
    check: examineJq,
  },
};

/** Modules are files of their own, and the environment is not part of the input. */
function examineJq({ options, operands }: ReadArguments, report: Reporter): Verdict | undefined {
  const fromFile = options.some(({ name }) => name === '-f' || name === '--from-file');
  if (fromFile) report.doubt('`jq -f` runs a filter from a file');
  const filter = fromFile ? undefined : operands[0];
  const files = fromFile ? operands : operands.slice(1);
  if (filter !== undefined && filter.kind !== 'literal')
    report.doubt('`jq` runs a filter known only when it runs');
  const text = filter?.text ?? '';
  if (/\b(import|include|modulemeta|get_search_list)\b/.test(text)) report.doubt('`jq` loads another file');
  if (/\$ENV\b|(^|[^.\w"$])env\b/.test(text)) report.doubt('`jq` prints the environment');
  for (const file of files) if (file.text !== '-') report.read(file);
  return undefined;
}
