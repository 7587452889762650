import { execFileSync } from 'node:child_process';
import { createWorkspace } from '@toolwright/machine/host/workspace.js';
import { expect, it } from 'vitest';
import { bash, programsOfTheMachine } from './launch.js';

const pathIn = (directory: string, PATH: string): string | undefined =>
  programsOfTheMachine({ workspace: createWorkspace({ directory }) }, { environment: { PATH } })['PATH'];

it('programs of the machine are found in any workspace, those of the workspace in none', () => {
  expect(pathIn('/tmp', '/tmp/bin:/usr/bin:.:bin:/opt/x')).toBe('/usr/bin:/opt/x');
  expect(pathIn('/usr', '/usr/local/bin:/usr/lib/x:/usr/bin:/bin')).toBe('/usr/local/bin:/usr/bin:/bin');
  expect(pathIn('/', '/home/me/bin:/usr/bin')).toBe('/usr/bin');
});

it('there is always a folder to look in: without one bash would take the current one', () => {
  expect(pathIn('/tmp', '/tmp/bin:.')?.split(':')).toContain('/usr/bin');
});

it.each(['-c 1; echo $0', '+x; echo $0', '--norc 1; echo $0'])(
  '%j is a script and no option of bash',
  (script) => {
    const run = (options: string[]): string => {
      const { program, args } = bash(script, '/', { environment: process.env, passedNames: [] }, { options });
      return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    };
    expect([run([]), run(['-n'])]).toEqual(['bash\n', '']);
  },
);
