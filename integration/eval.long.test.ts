import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { canStage } from '../packages/machine/src/changes/staged-run/fixtures/temp-staged.js';
import { isConfined } from './confined.js';
import { createMachine } from './program.js';

const tasks = fileURLToPath(new URL('../eval/tasks/', import.meta.url));
const names = readdirSync(tasks);
const canEvaluate = isConfined && (await canStage());
if (!canEvaluate)
  console.log('evidence: no sandbox or no overlay here: the tasks were not given to the tools');

describe('the tasks that come with the program', () => {
  it.each(names)('%s fails as it begins, and passes with its solution', (name) => {
    const folder = mkdtempSync(join(tmpdir(), 'toolwright-task-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    cpSync(join(tasks, name, 'environment'), folder, { recursive: true });
    cpSync(join(tasks, name, 'tests'), join(folder, 'tests'), { recursive: true });
    const test = () => spawnSync('bash', ['tests/test.sh'], { cwd: folder }).status;
    expect(test()).not.toBe(0);
    execFileSync('bash', [join(tasks, name, 'solution/solve.sh')], { cwd: folder });
    expect(test()).toBe(0);
  });

  it.runIf(canEvaluate)(
    'all pass with their recorded answers, three times each: the tools do what they did',
    async () => {
      const machine = createMachine();
      onTestFinished(() => machine.cleanup());
      const { stdout, stderr, code } = await machine.run([
        'eval',
        tasks,
        '--recorded',
        '-k',
        '3',
        '--at-once',
        '2',
      ]);
      console.log(`evidence: ${names.length} tasks, three times each:\n${stdout}`);
      expect(names.length).toBe(20);
      expect(code, stderr).toBe(0);
      expect(stdout).toMatch(/^all +60 of 60 /m);
    },
  );
});
