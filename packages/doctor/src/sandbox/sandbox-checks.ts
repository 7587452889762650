import { existsSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { processesNaming } from '@toolwright/machine/testing/processes-naming.js';
import type { CheckSetup } from './check-setup.js';
import { protectedPathChecks } from './protected-path-checks.js';
import type { CheckEnd, SandboxCheck } from './sandbox-check.js';

const failed = ({ exitCode }: CheckEnd): boolean => exitCode !== 0;
const keepsMarker = ({ output }: CheckEnd, { marker }: CheckSetup): boolean => !output.includes(marker);
const showsMarker = ({ exitCode, output }: CheckEnd, { marker }: CheckSetup): boolean =>
  exitCode === 0 && output.includes(marker);
const isMissing = (path: string): boolean => !existsSync(path);

/** Perl calls the kernel without help; every usual distribution has it. */
const perl = (program: string): string => `command -v perl >/dev/null || exit 77; perl -e '${program}'`;
const node = (program: string): string => `"$NODE" -e '${program}'`;
const number = {
  x64: { ptrace: 101, unshare: 272, mount: 165, keyctl: 250, bpf: 321 },
  arm64: { ptrace: 117, unshare: 97, mount: 40, keyctl: 219, bpf: 280 },
};
const calls = process.arch === 'arm64' ? number.arm64 : number.x64;

const namespaces = ['cgroup', 'ipc', 'mnt', 'net', 'pid', 'user', 'uts'];
const namespaceHere = (name: string): string => readlinkSync(`/proc/self/ns/${name}`);

/** A marker that can't be taken for that of the process outside. */
const orphan = (marker: string): string => marker.replace('marker', 'orphan');

const files: SandboxCheck[] = [
  {
    guarantee: 'the workspace can be written',
    attempt: 'create a file in it',
    script: ({ marker }) => `echo ${marker} > made`,
    holds: (end, { workspace, marker }) =>
      end.exitCode === 0 && readFileSync(join(workspace, 'made'), 'utf8').includes(marker),
  },
  {
    guarantee: 'the system is read-only',
    attempt: 'write to /etc',
    script: ({ marker }) => `echo x > /etc/${marker}`,
    holds: (end, { marker }) => failed(end) && isMissing(`/etc/${marker}`),
  },
  {
    guarantee: 'the system is read-only',
    attempt: 'set a value of the kernel (/proc/sys)',
    script: () =>
      'value=$(cat /proc/sys/kernel/core_pattern) && echo "$value" > /proc/sys/kernel/core_pattern',
    holds: failed,
  },
  {
    guarantee: 'home is hidden',
    attempt: 'write to home',
    script: ({ marker }) => `echo x > ~/${marker}; ls ~/${marker}`,
    holds: (_end, { home, marker }) => isMissing(join(home, marker)),
  },
  {
    guarantee: 'secrets are hidden',
    attempt: 'read a secret outside the workspace',
    script: ({ secret }) => `cat '${secret}'`,
    holds: (end, setup) => failed(end) && keepsMarker(end, setup),
  },
  {
    guarantee: 'secrets are hidden',
    attempt: 'list the keys in home',
    script: () => 'ls -A ~/.ssh/* ~/.gnupg/* ~/.aws/*',
    holds: ({ output }) => !/^\//m.test(output),
  },
  {
    guarantee: 'secrets are hidden',
    attempt: 'read a file that a rule denies',
    script: () => 'cat .env; cp .env other; chmod 600 .env; cat .env other; mv .env moved; cat moved',
    holds: keepsMarker,
  },
  {
    guarantee: 'the temporary folder is its own',
    attempt: 'read a temporary file of the machine',
    script: ({ temporary }) => `cat '${temporary}'`,
    holds: (end, setup) => failed(end) && keepsMarker(end, setup),
  },
  {
    guarantee: "the session's output is read-only",
    attempt: 'read it, then write to it',
    script: ({ output }) => `cat '${output}/long.txt' && ! echo x > '${output}/more.txt'`,
    holds: (end, setup) => showsMarker(end, setup) && isMissing(join(setup.output, 'more.txt')),
  },
];

const network: SandboxCheck[] = [
  {
    guarantee: 'no network',
    attempt: 'connect to a server of this machine (/dev/tcp)',
    script: ({ port }) => `exec 3<>/dev/tcp/127.0.0.1/${port} && echo x >&3 && cat <&3`,
    holds: (end, setup) => failed(end) && setup.connections() === 0,
  },
  {
    guarantee: 'no network',
    attempt: 'connect to an address outside (/dev/tcp)',
    script: () => 'exec 3<>/dev/tcp/192.0.2.1/80',
    holds: (end) => failed(end) && /unreachable/i.test(end.output),
  },
  {
    guarantee: 'no socket of the host',
    attempt: 'connect to a unix socket by its path',
    script: ({ socket }) => connectTo(JSON.stringify(socket)),
    holds: (end, setup) => failed(end) && setup.connections() === 0,
  },
  {
    guarantee: 'no socket of the host',
    attempt: 'connect to an abstract unix socket',
    script: ({ marker }) => connectTo(`"\\0${marker}"`),
    holds: (end, setup) => failed(end) && setup.connections() === 0,
  },
  {
    guarantee: 'no socket of the host',
    attempt: 'open a socket to the host of a virtual machine (vsock)',
    script: () => perl('socket(my $s, 40, 1, 0) and exit 0; print "$!\\n"; exit 1'),
    holds: failed,
  },
  {
    guarantee: 'loopback works inside',
    attempt: 'serve on 127.0.0.1 and fetch from it',
    script: ({ marker }) =>
      node(
        `const s = require("node:http").createServer((q, r) => r.end("${marker}")).listen(0, "127.0.0.1", () => require("node:http").get({ port: s.address().port, host: "127.0.0.1" }, (r) => r.on("data", (d) => { console.log(String(d)); process.exit(0); })));`,
      ),
    holds: showsMarker,
  },
  {
    guarantee: 'only named hosts are reached',
    attempt: 'fetch from a host that is named',
    network: ({ port }) => ({ hosts: [`127.0.0.1:${port}`] }),
    script: ({ port }) => throughProxy(`127.0.0.1:${port}`),
    holds: showsMarker,
  },
  {
    guarantee: 'only named hosts are reached',
    attempt: 'fetch from a host that is not named',
    network: () => ({ hosts: ['example.org'] }),
    script: ({ port }) => throughProxy(`127.0.0.1:${port}`),
    holds: (end, setup) => end.output.includes('403') && keepsMarker(end, setup) && setup.connections() === 0,
  },
];

function connectTo(path: string): string {
  return node(
    `require("node:net").connect({ path: ${path} }).on("error", (e) => { console.log(e.message); process.exit(1); }).on("connect", () => process.exit(0));`,
  );
}

function throughProxy(target: string): string {
  const request = `GET http://${target}/ HTTP/1.1\\r\\nHost: ${target}\\r\\nConnection: close\\r\\n\\r\\n`;
  return `address=\${HTTP_PROXY#http://}; exec 3<>"/dev/tcp/\${address%:*}/\${address#*:}" && printf '${request}' >&3 && cat <&3`;
}

const processes: SandboxCheck[] = [
  {
    guarantee: 'no other process is seen',
    attempt: 'find a process of the host in /proc',
    script: ({ marker }) => `grep -l '${marker.replace('-', '[-]')}' /proc/[0-9]*/cmdline`,
    holds: (end) => !/\/proc\/\d+\/cmdline/.test(end.output),
  },
  {
    guarantee: 'no other process is seen',
    attempt: 'kill a process of the host',
    script: ({ outsider }) => `kill -9 ${outsider}`,
    holds: (end, setup) => failed(end) && setup.isOutsiderAlive(),
  },
  {
    guarantee: 'nothing outlives the command',
    attempt: 'leave an orphan in a session of its own',
    settles: true,
    script: ({ marker }) =>
      `setsid -f bash -c 'sleep 60; : ${orphan(marker)}' </dev/null >/dev/null 2>&1; (exec -a ${orphan(marker)} sleep 60) </dev/null >/dev/null 2>&1 & sleep 0.1`,
    holds: (_end, { marker }) => processesNaming(orphan(marker)).length === 0,
  },
  {
    guarantee: 'nothing is shared with other processes',
    attempt: 'compare namespaces with those outside',
    script: () => `readlink /proc/self/ns/{${namespaces.join(',')}}`,
    holds: ({ output }) => {
      const shared = namespaces.filter(
        (name) => !output.includes(`${name}:[`) || output.includes(namespaceHere(name)),
      );
      return shared.length === 0 || `shared: ${shared.join(', ')}`;
    },
  },
  {
    guarantee: 'nothing is shared with other processes',
    attempt: 'find the session of whoever started it',
    script: () => 'read -r _ _ _ _ _ session _ </proc/self/stat; readlink /proc/self/ns/pid; echo "$session"',
    holds: ({ output }) => !/^0$/m.test(output) && !output.includes(namespaceHere('pid')),
  },
  {
    guarantee: 'no debugging of processes',
    attempt: 'ptrace',
    script: () => perl(`my $r = syscall(${calls.ptrace}, 0, 0, 0, 0); print "$!\\n"; exit($r < 0 ? 1 : 0)`),
    holds: failed,
  },
];

const kernel: SandboxCheck[] = [
  {
    guarantee: 'no further user namespace',
    attempt: 'unshare --user',
    script: () => perl(`my $r = syscall(${calls.unshare}, 0x10000000); print "$!\\n"; exit($r < 0 ? 1 : 0)`),
    holds: failed,
  },
  {
    guarantee: 'no mounts',
    attempt: 'mount a file system',
    script: () =>
      perl(
        `my ($t, $p) = ("none", "/"); syscall(${calls.mount}, $t, $p, $t, 0, 0); print "$!\\n"; exit($!{EPERM} ? 1 : 0)`,
      ),
    holds: failed,
  },
  {
    guarantee: 'no rights of the system',
    attempt: 'look for capabilities left',
    script: () => 'grep -E "^Cap(Inh|Prm|Eff|Bnd|Amb):" /proc/self/status | grep -vE "0{16}$"',
    holds: failed,
  },
  {
    guarantee: 'no rights of the system',
    attempt: 'regain them through a set-user-id program',
    script: () => 'grep -E "^NoNewPrivs:\\s*1$" /proc/self/status',
    holds: (end) => end.exitCode === 0,
  },
  {
    guarantee: 'nobody types for the user',
    attempt: 'put a character into a terminal (TIOCSTI)',
    script: () => perl('my $c = "x"; ioctl(STDIN, 0x5412, $c) and exit 0; exit($!{EPERM} ? 1 : 2)'),
    holds: ({ exitCode }) => exitCode === 1,
  },
  {
    guarantee: "the kernel's keyring and programs are closed",
    attempt: 'keyctl and bpf',
    script: () =>
      perl(
        `for my $n (${calls.keyctl}, ${calls.bpf}) { exit 0 if syscall($n, 0, 0, 0) >= 0; exit 2 unless $!{EPERM} } exit 1`,
      ),
    holds: ({ exitCode }) => exitCode === 1,
  },
  {
    guarantee: 'the environment is cleared',
    attempt: 'list the variables',
    script: () => 'env | grep -vE "^(PATH|HOME|TMPDIR|NODE|PWD|OLDPWD|SHLVL|_)="',
    holds: failed,
  },
];

export const sandboxChecks: readonly SandboxCheck[] = [
  ...files,
  ...protectedPathChecks,
  ...network,
  ...processes,
  ...kernel,
];
