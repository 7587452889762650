import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isConfined, modelText, openTempShell, type TempShellOptions } from '../fixtures/temp-shell.js';

const confined = await isConfined();

async function open(options: TempShellOptions = {}) {
  const shell = await openTempShell({ approvalMode: 'yolo', ...options });
  const put = (name: string, text: string): string => {
    const path = join(shell.home, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  };
  return Object.assign(shell, {
    put,
    inHome: (name: string) => readFileSync(join(shell.home, name), 'utf8'),
  });
}

const warningsOf = (shell: { asked: { details: unknown }[] }): unknown =>
  (shell.asked[0]?.details as { warnings?: string[] } | undefined)?.warnings;

describe.runIf(confined)('a file outside that a command may write', () => {
  it('is replaced by a program that renames another over it, as git does', async () => {
    await using shell = await open();
    shell.put('.gitconfig', '[user]\n\tname = Nobody\n');
    const settled = await shell.run('git config --global user.name Somebody', {
      outside: { write: ['~/.gitconfig'] },
    });
    expect(modelText(settled)).toBe(
      "(no output)\n[exit code 0]\n[changed outside the workspace, which can't be undone: ~/.gitconfig]",
    );
    expect(shell.inHome('.gitconfig')).toBe('[user]\n\tname = Somebody\n');
    expect(warningsOf(shell)).toEqual([
      "Outside the workspace it may write ~/.gitconfig (it can name programs for git to run). That can't be undone.",
    ]);
  });

  it('is made where there is none, with the folders on the way, and nothing else is', async () => {
    await using shell = await open();
    await shell.run('mkdir -p ~/.config/tool; echo one > ~/.config/tool/a; echo two > ~/.config/tool/b', {
      outside: { write: ['~/.config/tool/a'] },
    });
    expect(shell.inHome('.config/tool/a')).toBe('one\n');
    expect(existsSync(join(shell.home, '.config/tool/b'))).toBe(false);
  });

  it('stays behind its link', async () => {
    await using shell = await open();
    shell.put('dotfiles/gitconfig', '[user]\n\tname = Nobody\n');
    symlinkSync(join(shell.home, 'dotfiles/gitconfig'), join(shell.home, '.gitconfig'));
    await shell.run('git config --global user.name Somebody', { outside: { write: ['~/.gitconfig'] } });
    expect(shell.inHome('dotfiles/gitconfig')).toContain('Somebody');
    expect(lstatSync(join(shell.home, '.gitconfig')).isSymbolicLink()).toBe(true);
  });

  it('is not overwritten with a link, nor where somebody else changed it meanwhile', async () => {
    await using shell = await open();
    const path = shell.put('notes', 'old\n');
    const linked = await shell.run('rm ~/notes; ln -s /etc/passwd ~/notes', {
      outside: { write: ['~/notes'] },
    });
    expect(modelText(linked)).toContain('notes was not changed: it is not a plain file any more]');
    expect(shell.inHome('notes')).toBe('old\n');
    shell.put('signs/of', '');
    const waiting =
      'echo mine > ~/notes; touch ~/signs/written; until [ -e ~/signs/go ]; do sleep 0.05; done';
    const late = shell.run(waiting, { outside: { write: ['~/notes', '~/signs'] } });
    await expect.poll(() => existsSync(join(shell.home, 'signs/written'))).toBe(true);
    writeFileSync(path, 'theirs\n');
    shell.put('signs/go', '');
    expect(modelText(await late)).toContain('somebody else changed it meanwhile');
    expect(shell.inHome('notes')).toBe('theirs\n');
  });
});

describe.runIf(confined)('a folder outside', () => {
  it('is written at its own place, and made where it is missing', async () => {
    await using shell = await open();
    mkdirSync(join(shell.home, 'data'));
    await shell.run('echo one > ~/data/a; echo two > ~/more/b', {
      outside: { write: ['~/data', '~/more/'] },
    });
    expect([shell.inHome('data/a'), shell.inHome('more/b')]).toEqual(['one\n', 'two\n']);
    await shell.run('true', { outside: { write: ['~/unused/'] } });
    expect(existsSync(join(shell.home, 'unused'))).toBe(false);
  });

  it('is read and not written where only reading was asked for, and secrets in it stay hidden unless named', async () => {
    await using shell = await open();
    shell.put('.kube/config', 'token\n');
    const settled = await shell.run('cat ~/.kube/config; echo x > ~/.kube/x', {
      outside: { read: ['~/.kube'] },
    });
    expect(modelText(settled)).toMatch(/^token\n.*Read-only file system/);
    expect(warningsOf(shell)).toEqual([
      'Outside the workspace it may read ~/.kube (it holds keys and passwords of cloud services).',
    ]);
    shell.put('.config/gh/hosts.yml', 'oauth\n');
    shell.put('.config/other', 'plain\n');
    const wide = await shell.run('cat ~/.config/other ~/.config/gh/hosts.yml', {
      outside: { read: ['~/.config'] },
    });
    expect(modelText(wide)).toMatch(/^plain\ncat: .*hosts\.yml/);
    const named = await shell.run('cat ~/.config/gh/hosts.yml', { outside: { read: ['~/.config/gh'] } });
    expect(modelText(named)).toMatch(/^oauth\n/);
  });

  it('is reached by a job, too', async () => {
    await using shell = await open();
    shell.put('data/in', 'seen\n');
    const outside = { write: ['~/data'], read: [] };
    await shell.run('cat ~/data/in > ~/data/out', { is_background: true, outside });
    expect(shell.inHome('data/out')).toBe('seen\n');
    expect(warningsOf(shell)).toContain("Outside the workspace it may write ~/data. That can't be undone.");
  });
});

describe('where nothing confines or nothing can be staged', () => {
  it('what is reached outside is asked about and reached all the same', async () => {
    await using shell = await open({ sandbox: { mode: 'off' } });
    await shell.run('git config --global user.name Somebody', { outside: { write: ['~/.gitconfig'] } });
    expect(warningsOf(shell)).toContainEqual(expect.stringContaining('it may write ~/.gitconfig'));
    expect(shell.inHome('.gitconfig')).toContain('Somebody');
  });

  it.runIf(confined)('a command that works in the workspace itself reaches it, too', async () => {
    const base = realpathSync(mkdtempSync(join(tmpdir(), 'toolwright-outside-')));
    await using shell = await open({ workspace: base, stateFolder: join(base, 'state') });
    const settled = await shell.run('git config --global user.name Somebody; echo x > ~/dropped', {
      outside: { write: ['~/.gitconfig'] },
    });
    expect(modelText(settled)).toContain('it ran in the workspace itself');
    expect(modelText(settled)).toContain("can't be undone: ~/.gitconfig");
    expect(modelText(settled)).toContain('dropped: ~/dropped');
    expect(shell.inHome('.gitconfig')).toContain('Somebody');
    rmSync(base, { recursive: true });
  });
});

describe('a call that names a place outside', () => {
  it.each([
    ['the state folder', (home: string) => join(dirname(home), 'state')],
    ['what holds the state folder', (home: string) => dirname(home)],
    ['everything', () => '/'],
    ['settings of a project', () => '~/other/.toolwright'],
    ['settings of the machine', () => '/etc/toolwright/settings.json'],
  ])('is refused for %s', async (_what, place) => {
    await using shell = await open();
    for (const access of ['read', 'write']) {
      const settled = await shell.run('ls', { outside: { [access]: [place(shell.home)] } });
      // The model is told that a place does not exist.
      expect(['denied', 'invalid_params']).toContain(settled.error?.code);
      expect(shell.asked).toEqual([]);
    }
  });

  it.each([
    [{ read: ['notes'] }, /is not a whole path\. Begin with \/ or ~\//],
    [{ read: ['~/missing'] }, /does not exist/],
    [{ read: ['/dev/null'] }, /belongs to the kernel/],
    [{ read: ['/tmp'] }, /settings or sessions of Toolwright/],
    [{ read: ['/proc/self/environ'] }, /belongs to the kernel/],
    [{ raed: ['~/x'] }, /outside has no "raed"\. Did you mean read\?/],
    [{ hosts: ['https://github.com/x'] }, /is not a host\. Give the name alone/],
    [{ sshAgent: true }, /no ssh agent runs here/],
  ])('is refused with a reason: %j', async (outside, reason) => {
    await using shell = await open();
    expect(modelText(await shell.run('ls', { outside }))).toMatch(reason);
  });

  it('is refused for the workspace itself, and for a folder around it that it would write', async () => {
    const stateFolder = mkdtempSync('/var/tmp/toolwright-outside-');
    await using shell = await open({ stateFolder });
    expect(modelText(await shell.run('ls', { outside: { write: [join(shell.directory, 'a')] } }))).toMatch(
      /lies in the workspace/,
    );
    expect(modelText(await shell.run('ls', { outside: { write: [dirname(shell.directory)] } }))).toMatch(
      /holds the workspace/,
    );
    rmSync(stateFolder, { recursive: true });
  });

  it('learns of no file outside without a question', async () => {
    await using shell = await open({ answer: { kind: 'cancel', nobodyToAsk: true } });
    shell.put('present', '');
    const answerTo = async (name: string) =>
      modelText(await shell.run('ls', { outside: { read: [`~/${name}`] } })).replaceAll(name, 'X');
    expect(await answerTo('present')).toBe(await answerTo('missing'));
  });

  it('does not run where a link leads elsewhere than it did in the question', async () => {
    const home = { path: '' };
    await using shell = await open({
      answer: () => {
        rmSync(join(home.path, 'link'));
        symlinkSync(join(home.path, '.ssh'), join(home.path, 'link'));
        return { kind: 'once' };
      },
    });
    home.path = shell.home;
    shell.put('.ssh/id', 'key\n');
    shell.put('plain/id', 'plain\n');
    symlinkSync(join(shell.home, 'plain'), join(shell.home, 'link'));
    const settled = await shell.run('cat ~/link/id', { outside: { read: ['~/link'] } });
    expect(modelText(settled)).toMatch(/leads elsewhere since the question was asked/);
    expect(modelText(settled)).not.toContain('key');
  });

  it('is denied in plan mode and refused where nobody can be asked', async () => {
    await using planning = await open({ approvalMode: 'plan' });
    planning.put('notes', '');
    const planned = await planning.run('cat ~/notes', { outside: { read: ['~/notes'] } });
    expect(planned.denied?.by).toBe('rule');
    await using alone = await open({ answer: { kind: 'cancel', nobodyToAsk: true } });
    alone.put('notes', '');
    expect((await alone.run('cat ~/notes', { outside: { read: ['~/notes'] } })).denied?.by).toBe(
      'nobody-to-ask',
    );
  });

  it('needs no question once rules cover the command and the place', async () => {
    const rules = ['Shell(git config --global)', 'Outside(write ~/.gitconfig)'].map((text) => ({
      verdict: 'allow' as const,
      text,
      source: 'test',
    }));
    await using shell = await open({ rules });
    await shell.run('git config --global user.name Somebody', { outside: { write: ['~/.gitconfig'] } });
    expect(shell.asked).toEqual([]);
    expect(shell.inHome('.gitconfig')).toContain('Somebody');
    await shell.run('bash -c "echo x >> ~/.gitconfig"', { outside: { write: ['~/.gitconfig'] } });
    expect(shell.asked).toHaveLength(1);
    const appending = 'git config --global user.name Somebody; echo "# more" >> ~/.gitconfig';
    await shell.run(appending, { outside: { write: ['~/.gitconfig'] } });
    expect(shell.asked).toHaveLength(2);
  });

  it('has sockets called what they are', async () => {
    await using shell = await open({ answer: { kind: 'cancel' } });
    const socket = join(shell.home, 'docker.sock');
    const server = createServer().listen(socket);
    await shell.run('ls', { outside: { read: [socket] } });
    server.close();
    expect(warningsOf(shell)).toEqual([
      'Outside the workspace it may read ~/docker.sock (whoever talks to it can do everything on this machine, as root can).',
    ]);
  });
});
