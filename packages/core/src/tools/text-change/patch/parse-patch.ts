import { ToolError } from '@toolwright/machine/base/errors.js';

/** Lines that stand together in a file, before and after. */
export interface PatchHunk {
  /** Lines of the file above the hunk, from the outermost on: each narrows where it is looked for. */
  below: string[];
  before: string[];
  after: string[];
  /** The lines end the file. */
  atEnd: boolean;
  /** 1-based line of the patch where the hunk begins. */
  line: number;
}

export type FilePatch =
  | { kind: 'add'; path: string; content: string }
  | { kind: 'delete'; path: string }
  | { kind: 'update'; path: string; moveTo?: string; hunks: PatchHunk[] };

const SECTION = /^\*\*\* (Add|Delete|Update) File: (.*)$/;
const END_OF_FILE = '*** End of File';

/** Reads a patch between `*** Begin Patch` and `*** End Patch`. Throws with the line that can't be read. */
export function parsePatch(patch: string): FilePatch[] {
  const reader = new PatchReader(patch);
  const files: FilePatch[] = [];
  while (!reader.isAtEnd) files.push(reader.file());
  if (files.length === 0) throw new ToolError('invalid_params', 'The patch changes no file.');
  refuseSecondSections(files);
  return files;
}

class PatchReader {
  readonly #lines: string[];
  /** Lines of the text before those that are read. */
  readonly #skipped: number;
  #at = 0;

  constructor(patch: string) {
    const all = patch.replace(/\r\n/g, '\n').split('\n');
    const begin = all.findIndex((line) => line.trim() === '*** Begin Patch');
    const end = all.findLastIndex((line) => line.trim() === '*** End Patch');
    if (begin < 0 || end < begin) {
      const missing = begin < 0 ? '*** Begin Patch' : '*** End Patch';
      throw new ToolError('invalid_params', `The patch has no line "${missing}". Send it whole.`);
    }
    this.#skipped = begin + 1;
    this.#lines = all.slice(begin + 1, end);
    this.#passBlankLines();
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#lines.length;
  }

  file(): FilePatch {
    const [, kind, name = ''] = SECTION.exec(this.#line) ?? [];
    const path = name.trim();
    if (kind === undefined) throw this.#problem('a line such as "*** Update File: PATH" is expected here');
    if (path === '') throw this.#problem('the path is missing');
    this.#at += 1;
    const file = this.#section(kind, path);
    this.#passBlankLines();
    return file;
  }

  #section(kind: string, path: string): FilePatch {
    switch (kind) {
      case 'Add':
        return {
          kind: 'add',
          path,
          content: this.#added()
            .map((line) => `${line}\n`)
            .join(''),
        };
      case 'Delete':
        return { kind: 'delete', path };
      default:
        return this.#update(path);
    }
  }

  #added(): string[] {
    const lines: string[] = [];
    for (; this.#isInSection; this.#at += 1) {
      const line = this.#line;
      if (!line.startsWith('+') && line !== '')
        throw this.#problem('each line of a new file begins with "+"');
      // Many models leave out the sign before an empty line.
      lines.push(line);
    }
    return lines.slice(0, lines.findLastIndex((line) => line !== '') + 1).map((line) => line.slice(1));
  }

  #update(path: string): FilePatch {
    const [, moveTo] = /^\*\*\* Move to: (.+)$/.exec(this.#line) ?? [];
    if (moveTo !== undefined) this.#at += 1;
    const hunks: PatchHunk[] = [];
    while (this.#isInSection) {
      const hunk = this.#hunk();
      if (hunk.before.length + hunk.after.length > 0) hunks.push(hunk);
    }
    if (hunks.length === 0 && moveTo === undefined)
      throw this.#problem(`${path} has no hunk; lines that begin with "-" or "+" are expected`);
    return { kind: 'update', path, moveTo: moveTo?.trim(), hunks };
  }

  #hunk(): PatchHunk {
    const hunk: PatchHunk = { below: [], before: [], after: [], atEnd: false, line: this.#number };
    for (; this.#isInSection && this.#line.startsWith('@@'); this.#at += 1) {
      const above = lineNamedBy(this.#line);
      if (above !== '') hunk.below.push(above);
    }
    for (; this.#isInSection && !this.#line.startsWith('@@'); this.#at += 1) {
      if (this.#line.trim() === END_OF_FILE) {
        hunk.atEnd = true;
        this.#at += 1;
        this.#passBlankLines();
        break;
      }
      this.#read(this.#line, hunk);
    }
    return withoutBlankEnd(hunk, this.isAtEnd || SECTION.test(this.#line));
  }

  #read(line: string, { before, after }: PatchHunk): void {
    const text = line.slice(1);
    // Many models leave out the blank before an empty line.
    if (line === '' || line.startsWith(' ')) {
      before.push(text);
      after.push(text);
    } else if (line.startsWith('-')) before.push(text);
    else if (line.startsWith('+')) after.push(text);
    else throw this.#problem('a line of a hunk begins with " ", "-" or "+"');
  }

  get #line(): string {
    return this.#lines[this.#at] ?? '';
  }

  get #number(): number {
    return this.#skipped + this.#at + 1;
  }

  get #isInSection(): boolean {
    return !this.isAtEnd && !SECTION.test(this.#line);
  }

  #passBlankLines(): void {
    while (!this.isAtEnd && this.#line.trim() === '') this.#at += 1;
  }

  #problem(what: string): ToolError {
    const line = JSON.stringify(this.#line.slice(0, 120));
    return new ToolError(
      'invalid_params',
      `The patch can't be read: line ${this.#number} is ${line}, but ${what}. Nothing was changed.`,
    );
  }
}

/** `@@ class A`, or the form of a plain diff, `@@ -1,2 +1,3 @@ class A`. */
function lineNamedBy(header: string): string {
  const named = header.replace(/^@@/, '').replace(/^\s*-\d+(,\d+)?\s+\+\d+(,\d+)?\s*@@/, '');
  const line = named.trimEnd();
  // No expression that ends in blanks: it would take the square of their number.
  return (line.endsWith('@@') ? line.slice(0, -2).trimEnd() : named).replace(/^ /, '');
}

/** Empty lines before the next section belong to the patch's layout, not to the file. */
function withoutBlankEnd(hunk: PatchHunk, isLast: boolean): PatchHunk {
  const { before, after } = hunk;
  while (isLast && !hunk.atEnd && before.at(-1) === '' && after.at(-1) === '' && before.length > 1) {
    before.pop();
    after.pop();
  }
  return hunk;
}

function refuseSecondSections(files: readonly FilePatch[]): void {
  const known = new Set<string>();
  for (const file of files) {
    const paths = file.kind === 'update' && file.moveTo ? [file.path, file.moveTo] : [file.path];
    for (const path of paths) {
      if (known.has(path)) {
        const remedy = 'Put all hunks of a file below one line "*** Update File".';
        throw new ToolError(
          'invalid_params',
          `The patch names ${path} twice. ${remedy} Nothing was changed.`,
        );
      }
      known.add(path);
    }
  }
}
