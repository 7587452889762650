import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { canStage } from '../packages/machine/src/changes/staged-run/fixtures/temp-staged.js';
import { isConfined } from './confined.js';
import { blocksOf, readDocument } from './documents/blocks.js';

const script = fileURLToPath(new URL('../scripts/record-terminal.mjs', import.meta.url));

it.runIf(isConfined).each(['undo', 'try'])(
  'the terminal example of docs/%s.md is what the program prints',
  async (name) => {
    // Elsewhere the program says why it can't stage the command.
    if (!(await canStage())) return;
    const { stdout, stderr, status } = spawnSync(process.execPath, [script, name], { encoding: 'utf8' });
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
    const recorded = blocksOf(readDocument(`${name}.md`)).find(({ language }) => language === 'console');
    expect(stdout).toBe(recorded?.text);
    console.log(
      `evidence: docs/${name}.md: ${stdout.match(/^\$ /gm)?.length} commands played again, same output`,
    );
  },
);
