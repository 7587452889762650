import { afterEach, expect, it } from 'vitest';
import { openStage, type Stage } from './headless/run.js';
import { createSlowLook } from './headless/slow-look.js';
import { newestJournal } from './kill-session/journal.js';

let stage: Stage;
afterEach(() => stage.close());

/** Runs the program until the moment, and kills it there. */
async function killWhen(args: string[], moment: () => boolean): Promise<void> {
  await stage.run([...args, '-y'], {
    onStart(kill) {
      const timer = setInterval(() => {
        if (!moment()) return;
        clearInterval(timer);
        kill('SIGKILL');
      }, 20);
    },
  });
}

const startsOf = (tool: string): number =>
  newestJournal(stage.machine.state)!.lines.filter(
    (line) => line.type === 'call-start' && (line as { tool?: string }).tool === tool,
  ).length;

it('a session killed in the middle of a read reads again when it goes on; a command is told as interrupted', async () => {
  const command = { name: 'run_shell_command', arguments: { command: 'sleep 60; touch made.txt' } };
  stage = await openStage({ answers: [] });
  const look = createSlowLook(stage.machine);
  look.install(stage.machine.home);
  stage.server.answer({ calls: [look.call, command] });
  await killWhen(['-p', 'look'], () => look.begun() === 1);
  look.letGo();
  stage.server.answer({ calls: [command] });
  await killWhen(
    ['-c', '-p', 'go on'],
    () => stage.server.requests.length === 2 && startsOf('run_shell_command') === 1,
  );
  const second = stage.server.requests[1]!.bytes.toString();
  expect(second).toContain('Seen at last.');
  // The command of the first answer never began, which nobody can know.
  expect(second.match(/The call was interrupted/g)).toHaveLength(1);
  expect([look.begun(), startsOf('slow_look')]).toEqual([2, 2]);

  stage.server.answer({ text: 'I see.' });
  expect(await stage.run(['-c', '-p', 'and now?', '-y'])).toMatchObject({ code: 0, stdout: 'I see.\n' });
  const third = stage.server.requests[2]!.bytes.toString();
  expect(third.match(/The call was interrupted/g)).toHaveLength(2);
  expect([startsOf('slow_look'), startsOf('run_shell_command')]).toEqual([2, 1]);
});
