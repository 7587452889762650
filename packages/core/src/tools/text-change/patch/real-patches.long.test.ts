import { execFileSync } from 'node:child_process';
import { applyEdits, decodeText } from '@toolwright/machine/base/text-codec.js';
import { expect, test } from 'vitest';
import { historiesIn } from '../fixtures/histories.js';
import { patchOf } from '../fixtures/patch-of.js';
import { locateHunks } from './locate-hunks.js';
import { parsePatch } from './parse-patch.js';

/** TOOLWRIGHT_HISTORIES=FOLDER: repositories and folders of versions to take patches from, besides this repository. */
const folders = [
  execFileSync('git', ['rev-parse', '--show-toplevel'], { encoding: 'utf8' }).trim(),
  ...(process.env['TOOLWRIGHT_HISTORIES']?.split(':') ?? []),
];
const MOST_OF_ONE = 2_000;

test('patches of changes that people made give the file that they made of it, or are refused as ambiguous', async () => {
  const counts = { exact: 0, ambiguous: 0, 'not found': 0, wrong: 0 };
  const wrong: string[] = [];
  for (const { name, revisions } of folders.flatMap(historiesIn)) {
    let taken = 0;
    for await (const revision of revisions) {
      const [before, after] = await Promise.all([textOf(revision.before), textOf(revision.after)]);
      if (before === null || after === null || before === after) continue;
      if (++taken > MOST_OF_ONE) break;
      const [file] = parsePatch(await patchOf('file', before, after));
      if (file?.kind !== 'update') throw new Error('the patch has no update');
      const located = await locateHunks(before, file.hunks, 'file').catch((error: Error) => error);
      if (located instanceof Error) {
        counts[located.message.includes('fits at lines') ? 'ambiguous' : 'not found'] += 1;
        if (!located.message.includes('fits at lines'))
          wrong.push(`${name} ${revision.name}: ${located.message}`);
      } else if (applyEdits(before, located.edits) === after) counts.exact += 1;
      else {
        counts.wrong += 1;
        wrong.push(`${name} ${revision.name}: another text`);
      }
    }
  }
  console.log(`evidence: patches of real changes: ${JSON.stringify(counts)}`);
  expect(wrong.slice(0, 5)).toEqual([]);
  expect(counts.exact).toBeGreaterThan(500);
  expect(counts.ambiguous / (counts.exact + counts.ambiguous)).toBeLessThan(0.02);
});

/** Texts that the form of a patch can express: its last line always ends. */
async function textOf(bytes: Uint8Array): Promise<string | null> {
  const decoded = await decodeText(bytes);
  if (decoded?.encoding !== 'utf-8' || decoded.bomLength > 0 || /\r/.test(decoded.text)) return null;
  return decoded.text.endsWith('\n') ? decoded.text : null;
}
