import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { isConfined, modelText, openTempShell } from '../fixtures/temp-shell.js';

const confined = await isConfined();
const has = (program: string): boolean => spawnSync('which', [program]).status === 0;
const hasSsh = ['ssh', 'ssh-agent', 'ssh-add', 'ssh-keygen'].every(has);
if (!hasSsh) console.log('not tried: ssh through the proxy, because openssh-client is not installed');
if (!has('sshd')) console.log('not tried: a whole session with a real sshd, which is not installed');

const endings: (() => unknown)[] = [];
afterEach(() => {
  for (const end of endings.splice(0)) end();
});

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  endings.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

describe.runIf(confined)('hosts that a call names', () => {
  it('are reached, by the question and by no other, and the rest of the network is not', async () => {
    const port = await portOf(createHttpServer((_request, response) => response.end('hello')));
    const other = await portOf(createHttpServer((_request, response) => response.end('secret')));
    await using shell = await openTempShell({ approvalMode: 'yolo' });
    const fetching = `curl -s http://127.0.0.1:${port}; curl -s http://127.0.0.1:${other}`;
    const settled = await shell.run(fetching, { outside: { hosts: [`127.0.0.1:${port}`] } });
    expect(modelText(settled)).toMatch(/^hello/);
    expect(modelText(settled)).not.toContain('secret');
    expect(modelText(settled)).toContain(`call again with outside: {"hosts":["127.0.0.1:${other}"]}`);
    expect(shell.asked).toHaveLength(1);
    expect(shell.asked[0]?.details).toMatchObject({
      warnings: [`It may reach 127.0.0.1:${port} (this machine itself).`],
    });
  });

  it('are proposed to a command that failed in silence for want of them', async () => {
    await using shell = await openTempShell({ approvalMode: 'yolo' });
    const sentence =
      '[this command ran without network, so `curl` reached nothing outside of it. If it must, call again with outside: {"hosts":["example.org"]}, or for any host with network: true; the user is asked]';
    expect(modelText(await shell.run('curl -s https://example.org/'))).toBe(
      `(no output)\n[exit code 6]\n${sentence}`,
    );
    expect(modelText(await shell.run('curl -s https://example.org/ || true'))).toContain(sentence);
  });

  it.runIf(hasSsh)('are reached by ssh and by git over ssh', async () => {
    const heard: string[] = [];
    const port = await portOf(
      createServer((socket) => {
        socket
          .on('error', () => undefined)
          .once('data', (data) => {
            heard.push(data.toString('latin1').split('\r\n')[0] ?? '');
            socket.end('SSH-2.0-Nobody\r\n');
          });
      }),
    );
    await using shell = await openTempShell({ approvalMode: 'yolo' });
    const outside = { hosts: [`127.0.0.1:${port}`] };
    await shell.run(`ssh -o BatchMode=yes -p ${port} 127.0.0.1 true`, { outside });
    await shell.run(`git ls-remote ssh://git@127.0.0.1:${port}/x`, { outside });
    expect(heard).toEqual([
      expect.stringMatching(/^SSH-2\.0-OpenSSH/),
      expect.stringMatching(/^SSH-2\.0-OpenSSH/),
    ]);
    const refused = await shell.run('ssh -o BatchMode=yes nowhere.example true', { outside });
    expect(modelText(refused)).toContain('the sandbox refused nowhere.example:22');
    expect(modelText(refused)).toContain('call again with outside: {"hosts":["nowhere.example"]}');
  });
});

describe.runIf(confined && hasSsh)('the ssh agent', () => {
  it('is there with known hosts, settings and public keys, and without private keys', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'toolwright-agent-'));
    endings.push(() => rmSync(folder, { recursive: true, force: true }));
    const socket = join(folder, 'agent');
    const agent = await startAgent(socket);
    endings.push(() => agent.kill());
    await using shell = await openTempShell({ approvalMode: 'yolo', variables: { SSH_AUTH_SOCK: socket } });
    const ssh = join(shell.home, '.ssh');
    mkdirSync(ssh);
    execFileSync('ssh-keygen', [
      '-q',
      '-t',
      'ed25519',
      '-N',
      '',
      '-C',
      'mine',
      '-f',
      join(ssh, 'id_ed25519'),
    ]);
    execFileSync('ssh-add', ['-q', join(ssh, 'id_ed25519')], {
      env: { ...process.env, SSH_AUTH_SOCK: socket },
    });
    writeFileSync(join(ssh, 'known_hosts'), '');
    const listing = 'ssh-add -l | cut -d" " -f3; ls ~/.ssh';
    expect(modelText(await shell.run(listing))).not.toContain('mine');
    expect(modelText(await shell.run(listing, { outside: { sshAgent: true } }))).toMatch(
      /^mine\nid_ed25519\.pub\nknown_hosts\n\[exit code 0\]/,
    );
    expect(shell.asked.map(({ details }) => (details as { warnings?: string[] }).warnings)).toEqual([
      ['It may use your ssh agent: while it runs it can sign in as you wherever your keys are accepted.'],
    ]);
  });

  it('leaves what a rule keeps from being read hidden', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'toolwright-agent-'));
    endings.push(() => rmSync(folder, { recursive: true, force: true }));
    const agent = await startAgent(join(folder, 'agent'));
    endings.push(() => agent.kill());
    await using shell = await openTempShell({
      approvalMode: 'yolo',
      variables: { SSH_AUTH_SOCK: join(folder, 'agent') },
      rules: [{ verdict: 'deny', text: 'Read(~/.ssh/config)', source: 'test' }],
    });
    mkdirSync(join(shell.home, '.ssh'));
    for (const name of ['config', 'known_hosts']) writeFileSync(join(shell.home, '.ssh', name), '');
    expect(modelText(await shell.run('ls ~/.ssh; true', { outside: { sshAgent: true } }))).toMatch(
      /^known_hosts\n\[/,
    );
  });
});

async function startAgent(socket: string): Promise<ChildProcess> {
  const agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: ['ignore', 'pipe', 'ignore'] });
  await new Promise((resolve) => agent.stdout.once('data', resolve));
  return agent;
}
