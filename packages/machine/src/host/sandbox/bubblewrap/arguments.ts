import type { Mount } from '../mounts/mount.js';

export interface BubblewrapFeatures {
  /** True if bubblewrap itself forbids further user namespaces; otherwise the system call filter does. */
  disablesUserNamespaces: boolean;
}

export interface BubblewrapOptions {
  features: BubblewrapFeatures;
  user: number;
  group: number;
  /** Gives the program a network of its own with nothing but a loopback device. */
  ownNetwork: boolean;
  mounts: readonly Mount[];
  /** An unreadable file, mounted over files that must not be read. */
  unreadable: string;
  directory: string;
  /** The descriptor that the system call filter is read from. */
  filterDescriptor: number | null;
}

export function bubblewrapArguments(options: BubblewrapOptions): string[] {
  const { features, user, group, ownNetwork, mounts, filterDescriptor, directory } = options;
  return [
    '--unshare-user',
    // Named even if unchanged: inside an outer user namespace they differ.
    ...['--uid', String(user), '--gid', String(group)],
    ...(features.disablesUserNamespaces ? ['--disable-userns'] : []),
    ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup'],
    ...(ownNetwork ? ['--unshare-net'] : []),
    ...['--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
    ...mounts.flatMap((mount) => mountArguments(mount, options.unreadable)),
    ...mounts.filter(isSealedLast).flatMap(({ path }) => ['--remount-ro', path]),
    ...(mounts.some(({ path }) => path === '/') ? [] : ['--remount-ro', '/']),
    ...(filterDescriptor === null ? [] : ['--seccomp', String(filterDescriptor)]),
    ...['--chdir', directory, '--'],
  ];
}

function mountArguments(mount: Mount, unreadable: string): string[] {
  switch (mount.kind) {
    case 'read-only':
      return ['--ro-bind', mount.from ?? mount.path, mount.path];
    case 'writable':
      return ['--bind', mount.from ?? mount.path, mount.path];
    case 'scratch':
      return ['--bind', mount.from, mount.path];
    case 'empty':
    case 'sealed':
      return ['--tmpfs', mount.path];
    case 'bare':
      return ['--dir', mount.path];
    case 'unreadable':
      return ['--ro-bind', unreadable, mount.path];
    case 'link':
      return ['--symlink', mount.target, mount.path];
    case 'devices':
      return ['--dev', mount.path];
    case 'processes':
      return ['--proc', mount.path];
  }
}

/**
 * Sealed folders become read-only last, because mounts inside need their mount points first. In `/proc` the files that
 * control the kernel are writable for whoever is root outside, with or without capabilities.
 */
function isSealedLast({ kind }: Mount): boolean {
  return kind === 'sealed' || kind === 'processes';
}
