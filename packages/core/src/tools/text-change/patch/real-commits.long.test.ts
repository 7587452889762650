import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { decodeText } from '@toolwright/machine/base/text-codec.js';
import { createTempChanges } from '@toolwright/machine/testing/temp-changes.js';
import { expect, test } from 'vitest';
import { ApplyPatchTool } from '../../apply-patch.js';
import { type CommittedFile, commitsOf } from '../fixtures/commits.js';
import { sectionOf } from '../fixtures/patch-of.js';
import { never } from '../fixtures/text-tools.js';

const root = execFileSync('git', ['rev-parse', '--show-toplevel'], { encoding: 'utf8' }).trim();

type LeftOut =
  | 'not text'
  | 'another encoding or mark'
  | 'another kind of line ends'
  | 'another end of the last line';

/** The texts of a change, or why the form of a patch can't express it. */
async function textsOf({ before, after, from, to }: CommittedFile): Promise<[string, string] | LeftOut> {
  const [old, young] = await Promise.all([decodeText(before), decodeText(after)]);
  if (to === null) return ['', ''];
  if (!young || (from !== null && !old)) return 'not text';
  const [one, other] = [old?.text ?? '', young.text];
  const ends = (text: string): string =>
    !text.includes('\r') ? 'lf' : /(^|[^\r])\n|\r(?!\n)/.test(text) ? 'mixed' : 'crlf';
  const isPlain = young.encoding === 'utf-8' && young.bomLength === 0;
  if (from === null) {
    if (!isPlain) return 'another encoding or mark';
    if (ends(other) !== 'lf') return 'another kind of line ends';
    return other.endsWith('\n') ? [one, other] : 'another end of the last line';
  }
  if (old && (old.encoding !== young.encoding || old.bomLength !== young.bomLength))
    return 'another encoding or mark';
  if (ends(one) !== ends(other) && other !== '' && one !== '') return 'another kind of line ends';
  return one.endsWith('\n') === other.endsWith('\n') ? [one, other] : 'another end of the last line';
}

interface Tried {
  files: CommittedFile[];
  outcome: string;
}

async function tryCommit(all: readonly CommittedFile[], leftOut: Map<string, number>): Promise<Tried> {
  const files: CommittedFile[] = [];
  const sections: string[] = [];
  for (const file of all) {
    const texts = await textsOf(file);
    if (typeof texts === 'string') {
      leftOut.set(texts, (leftOut.get(texts) ?? 0) + 1);
      continue;
    }
    files.push(file);
    sections.push(...(await sectionOf(file, ...texts)));
  }
  if (files.length === 0) return { files, outcome: 'nothing to try' };
  const content = Object.fromEntries(
    files.flatMap(({ from, before }) => (from === null ? [] : [[from, before]])),
  );
  const temp = createTempChanges({ content });
  try {
    const commit = async (...[planned, signal]: Parameters<typeof temp.changes.commit>) =>
      (await temp.changes.commit(planned, signal)).id;
    const tool = new ApplyPatchTool(temp, { commit: (planned, signal) => commit(planned, { signal }) });
    const patch = ['*** Begin Patch', ...sections, '*** End Patch'].join('\n');
    const { error } = await tool.execute({ patch }, never);
    if (error) return { files, outcome: error.message };
    const isRight = files.every(({ from, to, after }) => {
      const isGone = from === null || from === to || !existsSync(temp.path(from));
      return to === null
        ? !existsSync(temp.path(from!))
        : isGone && readFileSync(temp.path(to)).equals(after);
    });
    return { files, outcome: isRight ? 'exact' : 'another result' };
  } finally {
    await temp.cleanup();
  }
}

test('whole commits of this repository, as one patch each, give every byte of what people committed', async () => {
  const counts = { exact: 0, ambiguous: 0, wrong: 0, changed: 0, added: 0, deleted: 0, moved: 0 };
  const leftOut = new Map<string, number>();
  const wrong: string[] = [];
  let large = 0;
  for await (const { name, files: all } of commitsOf(root)) {
    const { files, outcome } = await tryCommit(all, leftOut);
    if (outcome === 'nothing to try') continue;
    if (outcome === 'exact') {
      counts.exact += 1;
      if (files.length > 1) large += 1;
      for (const { from, to } of files)
        counts[from === null ? 'added' : to === null ? 'deleted' : from === to ? 'changed' : 'moved'] += 1;
    } else if (outcome.includes('fits at lines')) counts.ambiguous += 1;
    else {
      counts.wrong += 1;
      wrong.push(`${name.slice(0, 10)}: ${outcome.slice(0, 300)}`);
    }
  }
  console.log(
    `evidence: commits as patches: ${JSON.stringify({ ...counts, 'of several files': large, 'files left out': Object.fromEntries(leftOut) })}\n${wrong.slice(0, 10).join('\n')}`,
  );
  expect(wrong).toEqual([]);
  expect(counts.exact).toBeGreaterThan(500);
  expect(counts.ambiguous / (counts.exact + counts.ambiguous)).toBeLessThan(0.05);
}, 900_000);
