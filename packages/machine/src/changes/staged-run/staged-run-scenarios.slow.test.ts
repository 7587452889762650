import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { becomeOrdinaryUser, type OrdinaryUser } from './fixtures/as-ordinary-user.js';
import { type Fallback, type Played, play, type Renamed } from './fixtures/play.js';
import { scenarios } from './fixtures/scenarios.js';

let user: OrdinaryUser;
beforeAll(() => {
  user = becomeOrdinaryUser();
});
afterAll(() => user.leave());

const playModule = new URL('./fixtures/play.js', import.meta.url);

describe.each([
  ['as the user of the tests', play],
  ['as an ordinary user', (scenario: unknown) => user.call<Played>(playModule, 'play', scenario)],
] as const)('%s', (who, act) => {
  it.each(scenarios)(
    '$name is previewed, dropped without trace, kept, undone byte for byte',
    async (scenario) => {
      const played = await act(scenario as never);
      if (played.untried !== undefined) {
        console.log(`evidence: ${who}: ${scenario.name}: not tried: ${played.untried}`);
        return;
      }
      const { mounts, folders, processes } = played.leftovers;
      console.log(
        `evidence: ${who}: ${scenario.name}: ${played.previewed}; leftovers: mounts ${mounts}, stage folders ${folders}, processes ${processes}`,
      );
      expect(played).toEqual({
        name: scenario.name,
        previewed: expect.not.stringMatching(/^nothing changed$/),
        unchangedByRun: true,
        unchangedByDrop: true,
        sameAsDirect: true,
        undone: true,
        redone: true,
        leftovers: { mounts: 0, folders: 0, processes: 0 },
      });
    },
  );
});

describe('as an ordinary user', () => {
  const rename = (by: string) => user.call<Renamed>(playModule, 'renameFolder', by);

  it('a program that renames a folder in one step fails, and the run says why; mv copies', async () => {
    const [program, mv] = [await rename('program'), await rename('mv')];
    if (program.untried !== undefined) {
      console.log(`evidence: renames not tried: ${program.untried}`);
      return;
    }
    const moved = '1 file and 1 folder deleted, 1 file and 1 folder created';
    expect(mv).toEqual({ exitCode: 0, notes: [], summary: moved });
    if (program.exitCode === 0) expect(program.summary).toBe(moved);
    else expect(program.notes).toEqual([expect.stringMatching(/^The command failed with EXDEV: /)]);
  });
});

it('without user namespaces the run says why, works in the folder itself, and is undone', async () => {
  const limited = becomeOrdinaryUser({ mayMakeNamespaces: false });
  try {
    const found = await limited
      .call<Fallback>(playModule, 'fallBack')
      .catch((error: unknown) => String(error));
    if (typeof found === 'string') {
      console.log(
        `evidence: a machine without user namespaces can't be imitated here: ${found.slice(0, 200)}`,
      );
      return;
    }
    console.log(`evidence: without user namespaces: ${found.why}`);
    expect(found).toEqual({
      why: expect.stringContaining(
        "Commands can't run on a copy of the workspace here: this system does not let you make user namespaces (",
      ),
      changed: '1 file and 1 folder deleted, 1 file changed',
      undone: true,
    });
  } finally {
    await limited.leave();
  }
});
