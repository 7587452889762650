import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { refuseCutOff } from './cut-off.js';
import { historiesIn } from './fixtures/histories.js';
import { hunksOf } from './fixtures/real-edits.js';

const root = execFileSync('git', ['rev-parse', '--show-toplevel'], { encoding: 'utf8' }).trim();
const LARGEST_FILE = 400_000;
const sources = /\.(?:[cm]?[jt]sx?|py|go|rs|c|h|cc|cpp|java|rb|sh|css|html|md|ya?ml|json|txt)$/;

const refusal = (text: string, replaced: string | null, file = replaced ?? ''): string | null => {
  try {
    refuseCutOff({ name: 'content', text, replaced, file: () => file, shown: 'file' });
    return null;
  } catch (error) {
    return String(error);
  }
};

/** Source files of this repository, those that it has installed, and those of the machine's own Python and Perl. */
function files(): string[] {
  const own = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 });
  const args = [
    join(root, 'node_modules'),
    '/usr/lib/python3',
    '/usr/share/perl',
    '/usr/lib/go',
    '/usr/include',
  ];
  const installed = execFileSync(
    'sh',
    ['-c', 'find "$@" -type f -print0 2>/dev/null; true', 'find', ...args],
    {
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
    },
  );
  return [...own.split('\0').map((name) => join(root, name)), ...installed.split('\0')].filter(
    (path) => sources.test(path) && !/\.min\./.test(path),
  );
}

it('files that people wrote are not taken for cut off, whole or with lines removed', () => {
  const alarms: string[] = [];
  const counts = { files: 0, lines: 0, 'written as new files': 0, 'in place of a longer file': 0 };
  for (const path of new Set(files())) {
    const info = statSync(path, { throwIfNoEntry: false });
    if (!info?.isFile() || info.size > LARGEST_FILE) continue;
    const text = readFileSync(path, 'utf8');
    counts.files += 1;
    counts.lines += text.split('\n').length;
    const asNew = refusal(text, null);
    if (asNew !== null) counts['written as new files'] += 1;
    // The longer file has none of the lines that the written one has: the hardest case.
    const inPlace = refusal(text, '\n'.repeat(text.split('\n').length + 5).replaceAll('\n', 'x\n'));
    if (inPlace !== null) counts['in place of a longer file'] += 1;
    if (asNew ?? inPlace) alarms.push(`${path}: ${(asNew ?? inPlace)?.slice(0, 160)}`);
  }
  console.log(
    `evidence: false alarms about placeholders: ${JSON.stringify(counts)}\n${alarms.slice(0, 60).join('\n')}`,
  );
  expect(counts['written as new files'] / counts.files).toBeLessThan(0.0005);
  expect(counts['in place of a longer file'] / counts.files).toBeLessThan(0.002);
});

it('changes that people made are not taken for cut off, neither as edits nor as whole files', async () => {
  const counts = { 'whole files': 0, edits: 0, alarms: 0 };
  const alarms: string[] = [];
  for (const { revisions } of historiesIn(root))
    for await (const revision of revisions) {
      const [before, after] = [revision.before.toString(), revision.after.toString()];
      const pairs: [string, string][] = [[after, before]];
      counts['whole files'] += 1;
      for (const { lead, removed, added, trail } of await hunksOf(revision, 2))
        pairs.push([lead + added + trail, lead + removed + trail]);
      counts.edits += pairs.length - 1;
      for (const [text, replaced] of pairs) {
        const said = refusal(text, replaced, before);
        if (said === null) continue;
        counts.alarms += 1;
        alarms.push(`${revision.name}: ${said.slice(0, 160)}`);
      }
    }
  console.log(
    `evidence: false alarms in real changes: ${JSON.stringify(counts)}\n${alarms.slice(0, 20).join('\n')}`,
  );
  expect(counts.alarms / (counts['whole files'] + counts.edits)).toBeLessThan(0.0005);
});
