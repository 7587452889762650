import type { FileDiff, FileDiffEntry } from '@toolwright/core';

/** A patch as git writes it, as the diff that every front end shows. */
export function patchAsDiff(patch: string): FileDiff {
  const files = patch
    .split(/^(?=diff --git )/m)
    .filter((part) => part.startsWith('diff --git '))
    .map(fileOf);
  return { kind: 'diff', files };
}

function fileOf(part: string): FileDiffEntry {
  const lines = part.replace(/\n$/, '').split('\n');
  const first = lines.findIndex((line) => line.startsWith('@@'));
  const head = first === -1 ? lines : lines.slice(0, first);
  const body = first === -1 ? [] : lines.slice(first);
  const path = pathIn(head);
  return {
    path,
    change: changeOf(head),
    unified: body.length > 0 ? `--- ${path}\n+++ ${path}\n${body.join('\n')}\n` : noteOf(head),
    added: body.filter((line) => line.startsWith('+')).length,
    removed: body.filter((line) => line.startsWith('-')).length,
  };
}

function changeOf(head: readonly string[]): FileDiffEntry['change'] {
  const has = (beginning: string): boolean => head.some((line) => line.startsWith(beginning));
  if (has('new file mode 120000')) return 'symlink';
  if (has('new file mode')) return 'create';
  if (has('deleted file mode')) return 'delete';
  return has('old mode') && !has('index') ? 'mode' : 'modify';
}

/** The note in place of text for a file without any to show. */
function noteOf(head: readonly string[]): string {
  if (head.some((line) => /^(GIT binary patch|Binary files)/.test(line))) return 'binary';
  const after = (beginning: string): string | undefined =>
    head.find((line) => line.startsWith(beginning))?.slice(beginning.length);
  const earlier = after('rename from ');
  if (earlier !== undefined) return `renamed from ${unquoted(earlier)}`;
  const [old, present] = [after('old mode '), after('new mode ')];
  return old && present ? `mode ${old} -> ${present}` : 'empty';
}

function pathIn(head: readonly string[]): string {
  for (const beginning of ['+++ ', '--- ', 'rename to ']) {
    const named = head.find((line) => line.startsWith(beginning))?.slice(beginning.length);
    if (named !== undefined && named !== '/dev/null') return withoutSide(unquoted(named));
  }
  const both = (head[0] ?? '').slice('diff --git '.length);
  if (both.endsWith('"')) return withoutSide(unquoted(both.slice(both.lastIndexOf(' "') + 1)));
  // The same path twice: `a/PATH b/PATH`.
  return withoutSide(both.slice((both.length + 1) / 2));
}

function withoutSide(path: string): string {
  return path.replace(/^[ab]\//, '');
}

const escapes: Readonly<Record<string, number>> = { n: 10, t: 9, r: 13, a: 7, b: 8, f: 12, v: 11 };

/** Odd names stand in quotes, their bytes in octal. */
function unquoted(name: string): string {
  // A name with a blank is followed by a tab.
  if (!name.startsWith('"')) return name.replace(/\t$/, '');
  const bytes: number[] = [];
  for (const [, octal, letter, plain] of name.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|([^\\]+)/gs)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else if (letter !== undefined) bytes.push(escapes[letter] ?? letter.charCodeAt(0));
    else bytes.push(...Buffer.from(plain ?? ''));
  }
  return Buffer.from(bytes).toString('utf8');
}
