import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  gitServerMissing,
  makeGitRepository,
  startGitServer,
} from '../packages/fleet/src/fixtures/git-server.js';
import { sshMissing, startSshServer } from '../packages/fleet/src/fixtures/ssh-server.js';
import { canStage } from '../packages/machine/src/changes/staged-run/fixtures/temp-staged.js';
import { linesOf, openStage, type Stage } from './headless/run.js';

const canTry = await canStage();
if (!canTry || gitServerMissing !== null)
  console.log(`evidence: a fleet on clones was not tried: ${gitServerMissing ?? 'no overlays here'}`);

if (sshMissing !== null) console.log(`evidence: clones over ssh were not tried: ${sshMissing}`);

let stage: Stage;
afterEach(() => stage.close());

const pathOf = (name: string): string => join(stage.machine.workspace, name);
const offline = ['--provider', 'offline', '--approval-mode', 'auto-edit'];

describe.runIf(canTry && gitServerMissing === null)('a repository by its address', () => {
  it('is cloned by the worker, trusted in nothing, and its task becomes a branch of a clone of the user', async () => {
    stage = await openStage({});
    const served = pathOf('served');
    const git = makeGitRepository(join(served, 'app'), {
      'notes.txt': 'alpha\n',
      '.toolwright/settings.json': '{"permissions": {"allow": ["Fetch(example.com)"]}}\n',
    });
    const server = await startGitServer(served);
    const env = { GIT_SSL_CAINFO: server.authority };
    try {
      const url = `${server.url}/app/.git`;
      const rows = [
        `"replace 'alpha' with 'beta' in notes.txt",${url},main`,
        `fetch https://example.com/,${url},`,
      ];
      writeFileSync(pathOf('tasks.csv'), ['prompt,repo,ref', ...rows, ''].join('\n'));
      const ended = await stage.run(['fleet', 'run', 'tasks.csv', '--workers', '2', ...offline, '--trust'], {
        env,
      });
      expect(ended.stdout).toMatch(/1 done, 1 parked in .* · /);
      const { stdout } = await stage.run(['fleet', 'status', '--tasks', '--json']);
      const done = linesOf(stdout).find(({ state }) => state === 'done') as { task: { id: string } };
      const nowhere = await stage.run(['fleet', 'collect', '--to', 'branches', '--author', 'A B <a@b>']);
      expect(nowhere.stderr).toContain('name a repository that holds its commit with --repository DIR.');
      const own = ['--repository', 'served/app', '--author', 'A B <a@b>'];
      expect((await stage.run(['fleet', 'collect', '--to', 'branches', ...own])).code).toBe(0);
      expect(git('show', `toolwright/${done.task.id}:notes.txt`)).toBe('beta');
      expect(readFileSync(pathOf('served/app/notes.txt'), 'utf8')).toBe('alpha\n');
    } finally {
      await server.close();
    }
  });
});

it.runIf(canTry && sshMissing === null)(
  'a repository over ssh is cloned with the keys of the worker, and a host that nobody knows is refused',
  async () => {
    stage = await openStage({});
    makeGitRepository(pathOf('served/app'), { 'notes.txt': 'alpha\n' });
    const server = await startSshServer(join(stage.machine.home, 'sshd'));
    try {
      const task = {
        prompt: "replace 'alpha' with 'beta' in notes.txt",
        repo: `${server.url}${pathOf('served/app')}`,
        check: 'grep beta notes.txt',
      };
      writeFileSync(pathOf('tasks.jsonl'), `${JSON.stringify(task)}\n`);
      const run = ['fleet', 'run', 'tasks.jsonl', '--workers', '1', ...offline];
      const ended = await stage.run(run, { env: { GIT_SSH_COMMAND: server.command } });
      expect([ended.code, ended.stdout]).toEqual([0, expect.stringMatching(/^1 done in .* · /m)]);
      await stage.run(['fleet', 'submit', 'tasks.jsonl']);
      const begun = stage.run(['fleet', 'worker', '--slots', '1', ...offline], {
        env: { GIT_SSH_COMMAND: server.command.replace('/known', '/nobody') },
        onStart(kill) {
          const timer = setInterval(async () => {
            const { stdout } = await stage.run(['fleet', 'status']);
            if (!stdout.includes('last failure')) return;
            clearInterval(timer);
            kill('SIGINT');
          }, 500);
        },
      });
      await begun;
      const { stdout } = await stage.run(['fleet', 'status']);
      expect(stdout).toContain("can't be reached: Host key verification failed.");
    } finally {
      await server.stop();
    }
  },
);
