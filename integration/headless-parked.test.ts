import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { canStage } from '../packages/machine/src/changes/staged-run/fixtures/temp-staged.js';
import { calls, linesOf, openStage, type Stage } from './headless/run.js';
import { problemIn } from './headless/schema.js';

const canTry = await canStage();
if (!canTry) console.log('evidence: no overlays here: a question about a changed file was not tried');

let stage: Stage;
afterEach(() => stage.close());

const fileIn = (name: string): string => readFileSync(join(stage.machine.workspace, name), 'utf8');
const bodyOf = (index: number): string => stage.server.requests[index]!.bytes.toString();
const answers = [{ text: 'I will.', calls: [calls.read, calls.edit] }, { text: 'Done.' }];
const park = ['--on-question', 'park', '--session-id', 'run-1'];

describe('--on-question park', () => {
  it('ends with 55 before the call, keeps the question as data, and goes on where it was once it is answered', async () => {
    stage = await openStage({ answers });
    const ended = await stage.run(['-p', 'Change it.', ...park, '--output-format', 'json']);
    const [line] = linesOf(ended.stdout);
    expect([ended.code, problemIn(line, 'json')]).toEqual([55, null]);
    expect(line).toMatchObject({
      stats: { reason: 'parked', turns: 1 },
      questions: [
        { id: 'run-1', digest: expect.stringMatching(/^[0-9a-f]{64}$/), request: { tool: 'edit' } },
      ],
    });
    expect(ended.stderr).toContain('To answer: toolwright answer run-1 yes');
    expect([fileIn('a.txt'), stage.server.requests.length]).toEqual(['alpha\n', 1]);

    const listed = await stage.run(['answer']);
    expect(listed.stdout).toContain('toolwright answer run-1 yes|no');
    const went = await stage.run(['answer', 'run-1', 'yes']);
    const [after] = linesOf(went.stdout);
    expect(went.code).toBe(0);
    expect(after).toMatchObject({
      session_id: 'run-1',
      response: 'Done.',
      stats: { reason: 'done', turns: 2 },
    });
    expect([fileIn('a.txt'), stage.server.requests.length]).toEqual(['omega\n', 2]);
    // The call that needed no question was done once, and its response is there beside the other.
    expect(bodyOf(1).match(/"role":"tool"/g)).toHaveLength(2);
    expect(bodyOf(1)).not.toContain('interrupted');
    expect((await stage.run(['answer'])).stdout).toBe('No question is waiting.\n');
    expect((await stage.run(['answer', 'run-1', 'yes'])).code).toBe(52);

    writeFileSync(join(stage.machine.workspace, 'a.txt'), 'alpha\n');
    const again = await stage.run(['replay', 'run-1']);
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('Everything is as it was.')]);
  });

  it('has after the answer what is left of its limits', async () => {
    stage = await openStage({ answers });
    await stage.run(['-p', 'Change it.', ...park, '--max-turns', '1']);
    expect((await stage.run(['answer', 'run-1', 'yes'])).code).toBe(53);
    expect([fileIn('a.txt'), stage.server.requests.length]).toEqual(['omega\n', 1]);
  });

  it('is replayed as far as it came while the answer is still missing', async () => {
    stage = await openStage({ answers });
    await stage.run(['-p', 'Change it.', ...park]);
    const { code, stdout } = await stage.run(['replay', 'run-1']);
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining('Call 2, edit, was answered from the recording: it was put off then'),
    ]);
  });

  it('tells the model the reason of a no, and changes nothing', async () => {
    stage = await openStage({ answers });
    await stage.run(['-p', 'Change it.', ...park]);
    const { code, stdout } = await stage.run(['answer', 'run-1', 'no', 'not', 'today']);
    expect([code, stdout, fileIn('a.txt')]).toEqual([0, 'Done.\n', 'alpha\n']);
    expect(bodyOf(1)).toContain('The user refused this call: not today');
  });

  it.runIf(canTry)('asks anew where the call would do something else by the time of the answer', async () => {
    const command = 'sed -i s/alpha/omega/ a.txt; date +%N';
    const shell = { name: 'run_shell_command', arguments: { command } };
    stage = await openStage({ answers: [{ calls: [shell] }, { text: 'Done.' }] });
    await stage.run(['-p', 'Change it.', ...park]);
    writeFileSync(join(stage.machine.workspace, 'a.txt'), 'alpha\nand more\n');
    expect((await stage.run(['answer', 'run-1', 'yes'])).code).toBe(55);
    expect(fileIn('a.txt')).toBe('alpha\nand more\n');
    expect((await stage.run(['answer', 'run-1', 'yes'])).code).toBe(0);
    expect(fileIn('a.txt')).toBe('omega\nand more\n');
  });

  it('keeps several questions of one answer, and goes on when the last is answered', async () => {
    stage = await openStage({
      answers: [{ calls: [calls.read, calls.edit, calls.write] }, { text: 'Done.' }],
    });
    const ended = await stage.run(['-p', 'Change it.', ...park]);
    expect(ended.code).toBe(55);
    expect((await stage.run(['answer', 'run-1', 'yes'])).stderr).toContain('2 questions of this run wait');
    expect((await stage.run(['answer', 'run-1.2', 'yes'])).stdout).toContain('1 more of this run waits');
    expect((await stage.run(['answer', 'run-1', 'no'])).code).toBe(0);
    expect([fileIn('a.txt'), fileIn('new.txt')]).toEqual(['alpha\n', 'new\n']);
  });
});
