import { wordSet } from '../name-lists.js';
import { literalWord, type ShellWord } from '../shell-word.js';
import { judge } from './judge.js';
import type { ProgramModel, ProgramTable, Reporter } from './model.js';
import type { ReadArguments } from './read-arguments.js';

const options: ProgramModel = {
  harmless:
    '-tvzjJapkmwOhSWsolBi -x -c -r -u -A -d -b= -H= -K= -L= -N= -V= --list --extract --get --create --append --update --catenate --concatenate --diff --compare --delete --verbose? --gzip --gunzip --ungzip --bzip2 --xz --zstd --lzma --lzip --lzop --auto-compress --no-auto-compress --keep-old-files --to-stdout --exclude= --exclude-vcs --strip-components= --wildcards --no-wildcards --anchored --no-anchored --ignore-case --numeric-owner --full-time --totals? --transform= --xform= --owner= --group= --mode= --mtime= --sort= --format= --no-recursion --recursion --dereference --null --show-transformed-names --test-label --warning= --ignore-zeros --occurrence? --quoting-style= --one-file-system --preserve-permissions --same-permissions --no-same-owner --no-same-permissions --overwrite --skip-old-files --force-local --help --version',
  reads: '-X= -T= --exclude-from= --files-from=',
  writes: '-g= --listed-incremental= --index-file= --volno-file=',
  launches: {
    '--to-command= --checkpoint-action= -I= --use-compress-program= --rsh-command= --rmt-command= -F= --info-script= --new-volume-script=':
      'starts another program',
  },
  refused: {
    '--checkpoint? -M --multi-volume --remove-files -P --absolute-names --backup?': 'is not safe',
  },
  check: checkTar,
};
/** The options with those for archive and folder, which are judged by what is done with them. */
const withPlaces: ProgramModel = { ...options, harmless: `${options.harmless} -f= --file= -C= --directory=` };

export const tar: ProgramTable = {
  tar: { examine: examineTar },
  bsdtar: { reason: 'reads and writes archives' },
};

/** Judges `tar`, whose first word may be letters without a dash; their values follow in order. */
function examineTar(words: readonly ShellWord[], report: Reporter): undefined {
  const [first, ...rest] = words;
  if (first?.kind === 'literal' && /^[A-Za-z]+$/.test(first.text)) {
    const taking = [...first.text].filter((letter) => /[fbCTXgKNVHIFL]/.test(letter));
    if (taking.length > 1) report.unknownProgram('`tar` has bundled options that are not followed');
    const ordered = [...first.text].filter((letter) => !taking.includes(letter)).join('') + taking.join('');
    judge(withPlaces, [literalWord(`-${ordered}`), ...rest], report);
    return;
  }
  judge(withPlaces, words, report);
}

function checkTar({ options: given, operands }: ReadArguments, report: Reporter): undefined {
  const has = (names: string): boolean => given.some(({ name }) => wordSet(names).has(name));
  const valuesOf = (names: string): ShellWord[] =>
    given.flatMap(({ name, value }) => (wordSet(names).has(name) && value ? [value] : []));
  const archives = valuesOf('-f --file');
  const folders = valuesOf('-C --directory');
  for (const archive of archives) {
    // A name that a wildcard finds may look like a place on another machine, unless a folder comes before it.
    const isPlace = archive.kind === 'glob' ? !/^[^*?[]*\//.test(archive.text) : archive.kind === 'dynamic';
    if (isPlace || [archive.text, ...archive.values].some((name) => name.includes(':')))
      report.unknownProgram('`tar` may reach another machine');
  }
  const lists =
    has('-t --list') &&
    !has('-x -c -r -u -A --extract --get --create --append --update --delete --catenate --concatenate');
  const compares = has('-d --diff --compare');
  if (lists || compares) {
    for (const word of [...archives, ...folders]) if (word.text !== '-') report.read(word);
    if (has('-T --files-from')) report.doubt('`tar -T` reads a list of files');
    if (compares) report.doubt('`tar --diff` reads the files an archive names');
    return;
  }
  const extracts = has('-x --extract --get');
  report.doubt(extracts ? '`tar` extracts files' : '`tar` writes an archive');
  for (const archive of archives) {
    if (archive.text === '-') continue;
    if (extracts) report.read(archive);
    else report.write(archive);
  }
  if (extracts && !has('-O --to-stdout')) {
    for (const folder of folders.length > 0 ? folders : [literalWord('.')]) report.write(folder);
  }
  if (!extracts) for (const operand of operands) report.read(operand);
}
