import { expect } from 'vitest';
import { canStage } from '../packages/machine/src/changes/staged-run/fixtures/temp-staged.js';
import { isConfined } from './confined.js';
import { createRaceStage, type Racer, runs, writes } from './race/stage.js';
import { keys } from './terminal/conversation.js';
import { flowsOf, start } from './terminal/flows.js';

const canRace = isConfined && (await canStage());
const flow = flowsOf('race');

async function startRace(racers: Record<string, Racer>, ...more: string[]) {
  const stage = await createRaceStage({ 'sum.sh': 'echo $(($1 - $2))\n', 'b.txt': 'b\n' }, racers);
  const { machine, environment } = stage;
  const talk = await start({ machine, args: stage.args(...more), env: environment, columns: 100, rows: 50 });
  const answer = async (title: RegExp | string, reply: string): Promise<void> => {
    await talk.see(title);
    await talk.until(() => talk.isAsked(), 'the line for an answer');
    talk.type(`${reply}\r`);
  };
  return { stage, talk, answer };
}

const right = 'echo $(($1 + $2))\n';

if (canRace) {
  flow(
    'the user sees the table, the difference of two sessions, and keeps one; the other is dropped',
    async () => {
      const racers = { one: writes('sum.sh', right), two: runs('echo two > b.txt') };
      const { stage, talk, answer } = await startRace(racers, '--check', 'test "$(sh sum.sh 1 2)" = 3');
      await talk.see(/1 │ one +│ (?:working|checking|done)/);
      await talk.see(/1 +keep session 1: 1 file changed \(\+1 -1\); its check passed; the best;/);
      await answer('? Which session do you want to keep?', 'd 1 2');
      await answer('? The sessions 1 and 2 differ by this, from the first to the second.', '1');
      expect(talk.text()).toContain('+ echo $(($1 - $2))');
      await answer('? Keep what session 1 changed?', 'y');
      expect(await talk.ended()).toBe(0);
      expect(talk.text()).toMatch(/Kept session 1: 1 file changed\.[\s\S]*Dropped: session 2\./);
      expect([stage.at('sum.sh'), stage.at('b.txt')]).toEqual([right, 'b\n']);
      expect(stage.leftovers()).toEqual({ sessions: [], mounts: [], processes: [] });
      await stage.close();
    },
  );

  flow('the user decides later, and all sessions wait', async () => {
    const { stage, talk, answer } = await startRace({ one: writes('sum.sh', right), two: {} });
    await answer('? Which session do you want to keep?', 'w');
    expect(await talk.ended()).toBe(0);
    expect(talk.text()).toContain('These sessions are waiting.');
    expect(stage.leftovers()).toMatchObject({ sessions: [expect.any(String)], mounts: [], processes: [] });
    await stage.close();
  });

  flow('Ctrl+C stops every session with all that it runs; only work that was done stays', async () => {
    const silent: Racer = { instead: { instead: 'silence' } };
    const racers = { one: writes('sum.sh', right), two: silent, three: runs('sleep 300 & sleep 300') };
    const { stage, talk } = await startRace(racers, '--at-once', '3');
    await talk.see(/1 │ one +│ done/);
    await talk.until(() => stage.leftovers().processes.length > 1, 'the command of the third session');
    talk.type(keys.ctrlC);
    expect(await talk.ended()).toBe(130);
    expect(talk.text()).toMatch(/2 │ two +│ stopped/);
    expect(talk.text()).toMatch(
      /These sessions are waiting\.[^\n]*\n?[^\n]*\n {2}1 {2}\w+ {2}1 file changed/,
    );
    expect(stage.leftovers()).toMatchObject({ sessions: [expect.any(String)], mounts: [], processes: [] });
    // The terminal is as it was: the cursor is shown, and pastes are no longer marked.
    expect(talk.raw().lastIndexOf('\x1b[?25h')).toBeGreaterThan(talk.raw().lastIndexOf('\x1b[?25l'));
    expect(talk.raw().lastIndexOf('\x1b[?2004l')).toBeGreaterThan(talk.raw().lastIndexOf('\x1b[?2004h'));
    await stage.close();
  });
}
