import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { becomeOrdinaryUser, type OrdinaryUser } from './fixtures/as-ordinary-user.js';
import { type Confined, runConfined, type Untried } from './fixtures/confined.js';

let user: OrdinaryUser;
beforeAll(() => {
  user = becomeOrdinaryUser();
});
afterAll(() => user.leave());

const module = new URL('./fixtures/confined.js', import.meta.url);

describe.each([
  ['as the user of the tests', runConfined],
  ['as an ordinary user', () => user.call<Confined | Untried>(module, 'runConfined')],
] as const)('a staged run in the sandbox, %s', (who, act) => {
  it('a staged run in the sandbox writes in the workspace only, is looked at, and leaves nothing', async () => {
    const found = await act();
    if ('untried' in found) {
      console.log(`evidence: staged in the sandbox, ${who}: not tried: ${found.untried}`);
      return;
    }
    console.log(
      `evidence: staged in the sandbox, ${who}: ${found.summary}; leftovers ${JSON.stringify(found.leftovers)}`,
    );
    expect(found).toEqual({
      output: `${found.uid}\nno network\n`,
      errors: '',
      uid: found.uid,
      summary: '1 file deleted, 1 file changed, 1 file created',
      untouched: true,
      kept: { 'b.txt': 'bee\nmore\n', 'dir/c.txt': 'sea\n', 'new.txt': 'new\n' },
      leftovers: { mounts: 0, folders: 0, processes: 0 },
    });
  });
});
