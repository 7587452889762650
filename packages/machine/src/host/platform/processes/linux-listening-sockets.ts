const LISTENING = '0A';

/** The listening sockets in the text of `/proc/PID/net/tcp` or `tcp6`. */
export function listeningSockets(table: string): { inode: string; port: number }[] {
  return table
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const [, local, , state, , , , , , inode] = line.trim().split(/\s+/);
      if (state !== LISTENING || local === undefined || inode === undefined) return [];
      return [{ inode, port: Number.parseInt(local.slice(local.lastIndexOf(':') + 1), 16) }];
    });
}
