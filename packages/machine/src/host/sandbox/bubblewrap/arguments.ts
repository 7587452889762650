import type { Mount } from '../mounts/mount.js';

export interface BubblewrapFeatures {
  /** The program itself forbids further user namespaces; otherwise the filter of system calls does. */
  disablesUserNamespaces: boolean;
}

export interface BubblewrapOptions {
  features: BubblewrapFeatures;
  user: number;
  group: number;
  /** A network of its own, with nothing but a loopback device. */
  ownNetwork: boolean;
  mounts: readonly Mount[];
  /** A file that nobody may read; it stands before those that must not be read. */
  unreadable: string;
  directory: string;
  /** The descriptor from which the filter of system calls is read. */
  filterDescriptor: number | null;
}

/** What stands between the name of bubblewrap and the command. */
export function bubblewrapArguments(options: BubblewrapOptions): string[] {
  const { features, user, group, ownNetwork, mounts, filterDescriptor, directory } = options;
  return [
    '--unshare-user',
    // Named even when they are the present ones: inside an outer user namespace they are not.
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
 * Mounts inside a sealed folder need their mount points first. Of `/proc` the part that rules the kernel is writable
 * for whoever is root outside, capabilities or not.
 */
function isSealedLast({ kind }: Mount): boolean {
  return kind === 'sealed' || kind === 'processes';
}
