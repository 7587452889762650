import { SettingsError } from '@toolwright/core';
import { spawn } from '@toolwright/core/front-end';

export interface GitEnd {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs git of this machine without hooks, prompts, pagers and foreign ways of transport. */
export function runGit(
  args: readonly string[],
  {
    cwd,
    signal,
    environment = {},
  }: { cwd: string; signal?: AbortSignal; environment?: Record<string, string> },
): Promise<GitEnd> {
  const safe = [
    ...['core.hooksPath=/dev/null', 'core.fsmonitor=false', 'core.pager=cat', 'protocol.allow=never'],
    ...[
      'protocol.https.allow=always',
      'protocol.ssh.allow=always',
      'submodule.recurse=false',
      'commit.gpgSign=false',
    ],
  ].flatMap((setting) => ['-c', setting]);
  const child = spawn('git', [...safe, ...args], {
    cwd,
    signal,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      GIT_TERMINAL_PROMPT: '0',
      GIT_OPTIONAL_LOCKS: '0',
      // Keys and hosts may be named there; nobody could be asked for a password.
      GIT_SSH_COMMAND: `${process.env['GIT_SSH_COMMAND'] ?? 'ssh'} -oBatchMode=yes`,
      LC_ALL: 'C',
      ...environment,
    },
  });
  const output: { stdout: Buffer[]; stderr: Buffer[] } = { stdout: [], stderr: [] };
  child.stdout.on('data', (chunk: Buffer) => output.stdout.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => output.stderr.push(chunk));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) =>
      resolve({
        code,
        stdout: Buffer.concat(output.stdout).toString('utf8'),
        stderr: Buffer.concat(output.stderr).toString('utf8'),
      }),
    );
  });
}

/** The user that git knows in a folder, as `Name <mail>`. */
export async function gitAuthor(cwd: string): Promise<string> {
  const name = await runGit(['config', 'user.name'], { cwd });
  const mail = await runGit(['config', 'user.email'], { cwd });
  if (name.code === 0 && mail.code === 0) return `${name.stdout.trim()} <${mail.stdout.trim()}>`;
  throw new SettingsError(
    'git has no user.name and user.email here. Set them, or give --author "Name <mail>".',
  );
}
