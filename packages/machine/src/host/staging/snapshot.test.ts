import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { takeSnapshot } from './snapshot.js';

it.runIf(process.platform === 'linux')(
  'of a whole file system leaves out what the kernel makes up',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'snapshot-'));
    const { entries } = await takeSnapshot({
      roots: ['/'],
      except: folder,
      folder,
      signal: new AbortController().signal,
      limits: { entries: 3_000, copies: 0, bytes: 0 },
    });
    rmSync(folder, { recursive: true });
    expect([...entries.keys()]).toContain('/proc');
    expect(
      [...entries.keys()].filter((path) => path.startsWith('/proc/') || path.startsWith('/sys/')),
    ).toEqual([]);
  },
);
