import { sameFor } from '../name-lists.js';
import { literalWord, type ShellWord } from '../shell-word.js';
import type { ProgramModel, ProgramTable, Reporter } from './model.js';

const versionOnly = '--help --version';

const ownership: ProgramModel = {
  reason: 'changes files',
  harmless: `-cfvRHLP --changes --silent --quiet --verbose --recursive --preserve-root --no-preserve-root --dereference --no-dereference ${versionOnly}`,
  reads: '--reference=',
  operands: { first: 'text', rest: 'write' },
};

const compressor: ProgramModel = {
  reason: 'replaces files',
  numeric: true,
  harmless:
    '-cdfklnNqrtv -S= --stdout --decompress --force --keep --list --quiet --recursive --test --verbose --fast --best',
  operands: 'write',
};

/** Programs whose purpose is to change files: never automatic, but what they would touch is known. */
export const changing: ProgramTable = {
  cp: {
    reason: 'copies files',
    harmless: `-abdfHilLnpPrRsTuvxZ -S= --archive --backup? --force --interactive --link --dereference --no-clobber --no-dereference --preserve? --no-preserve= --parents --recursive --reflink? --remove-destination --sparse= --symbolic-link --suffix= --no-target-directory --update? --verbose --one-file-system --attributes-only --copy-contents ${versionOnly}`,
    writes: '-t= --target-directory=',
    operands: { rest: 'read', last: 'write' },
  },
  mv: {
    reason: 'moves files',
    harmless: `-bfinTuvZ -S= --backup? --force --interactive --no-clobber --suffix= --no-target-directory --update? --verbose --strip-trailing-slashes ${versionOnly}`,
    writes: '-t= --target-directory=',
    operands: { rest: 'delete', last: 'write' },
  },
  ln: {
    reason: 'makes links',
    harmless: `-bdfFiLnPrsTv -S= --backup? --directory --force --interactive --logical --no-dereference --physical --relative --symbolic --suffix= --no-target-directory --verbose ${versionOnly}`,
    writes: '-t= --target-directory=',
    operands: { rest: 'read', last: 'write' },
  },
  install: {
    reason: 'copies files',
    harmless: `-bCcDdpsTvZ -g= -m= -o= -S= --directory --group= --mode= --owner= --preserve-timestamps --strip --verbose ${versionOnly}`,
    writes: '-t= --target-directory=',
    launches: { '--strip-program=': 'starts another program' },
    operands: { rest: 'read', last: 'write' },
  },
  rm: {
    reason: 'deletes files',
    harmless: `-dfiIrRv --force --interactive? --one-file-system --no-preserve-root --preserve-root? --recursive --dir --verbose ${versionOnly}`,
    operands: 'delete',
  },
  unlink: { reason: 'deletes a file', operands: 'delete' },
  rmdir: {
    reason: 'deletes folders',
    harmless: '-pv --ignore-fail-on-non-empty --parents --verbose',
    operands: 'delete',
  },
  shred: {
    reason: 'destroys files',
    harmless: '-fuvxz -n= -s= --force --remove? --verbose --exact --zero',
    operands: 'delete',
  },
  mkdir: {
    reason: 'makes folders',
    harmless: `-pvZ -m= --mode= --parents --verbose ${versionOnly}`,
    operands: 'write',
  },
  mkfifo: { reason: 'makes a pipe', harmless: '-m= --mode=', operands: 'write' },
  mktemp: {
    reason: 'makes a file',
    harmless: '-dqut -p= --directory --dry-run --quiet --suffix= --tmpdir?',
    operands: 'text',
  },
  touch: {
    reason: 'changes files',
    harmless: `-acfhm -d= -t= --no-create --date= --no-dereference --time= ${versionOnly}`,
    reads: '-r= --reference=',
    operands: 'write',
  },
  truncate: {
    reason: 'changes files',
    harmless: '-co -s= --size= --no-create',
    reads: '-r= --reference=',
    operands: 'write',
  },
  tee: { harmless: `-aip --append --ignore-interrupts --output-error? ${versionOnly}`, operands: 'write' },
  ...sameFor('chmod chown chgrp', ownership),
  dd: { reason: 'copies bytes', examine: examineDd },
  split: {
    reason: 'writes files',
    harmless: '-dexu -a= -b= -C= -l= -n= -t=',
    executes: '--filter=',
    operands: { first: 'read', rest: 'write' },
  },
  patch: {
    reason: 'changes files',
    harmless: '-bEfNRstuZ -p= -F= --dry-run',
    reads: '-i= --input=',
    writes: '-o= -d= -r= --output= --directory=',
    operands: 'write',
  },
  ...sameFor('gzip gunzip bzip2 bunzip2 xz unxz zstd', compressor),
  unzip: { examine: examineUnzip },
  zip: {
    reason: 'writes an archive',
    harmless: '-rqjymu0123456789',
    launches: { '-T -TT= --unzip-command=': 'may start other programs' },
    operands: { first: 'write', rest: 'read' },
  },
};

function examineDd(words: readonly ShellWord[], report: Reporter): undefined {
  for (const word of words) {
    const [, name, value = ''] = /^(\w+)=(.*)$/s.exec(word.prefix) ?? [];
    if (word.kind !== 'literal' && name !== 'bs') report.doubt('`dd` has a word known only when it runs');
    else if (name === 'if') report.read(literalWord(value));
    else if (name === 'of') report.write(literalWord(value));
  }
}

function examineUnzip(words: readonly ShellWord[], report: Reporter): undefined {
  const lists = words.some(({ text }) => /^-(l|v|Z|Z1|t|lq|ql)$/.test(text));
  const known = words.every(
    ({ text, kind }) => kind === 'literal' && (!text.startsWith('-') || /^-(l|v|Z|Z1|t|lq|ql|q)$/.test(text)),
  );
  if (!lists || !known) {
    report.doubt('`unzip` writes files');
    report.write(literalWord('.'));
  }
  for (const word of words) if (!word.prefix.startsWith('-')) report.read(word);
}
