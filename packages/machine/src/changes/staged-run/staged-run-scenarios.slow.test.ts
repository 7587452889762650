import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { becomeOrdinaryUser, type OrdinaryUser } from './fixtures/as-ordinary-user.js';
import type { Fallback, Renamed } from './fixtures/play.js';
import { testScenarios } from './fixtures/test-scenarios.js';

let user: OrdinaryUser;
beforeAll(() => {
  user = becomeOrdinaryUser();
});
afterAll(() => user.leave());

const playModule = new URL('./fixtures/play.js', import.meta.url);

/** Each scenario by one of two users; by the other one in the long test. */
testScenarios({ firstOrdinary: 1 });

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
