import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTempWorkspace, type TempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { parseServer } from '@toolwright/mcp/contract/server-config.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createToolbox, type Toolbox } from './create-toolbox.js';
import type { ToolboxOptions } from './options/toolbox-options.js';

let temp: TempWorkspace;
let toolbox: Toolbox;
const { signal } = new AbortController();

beforeEach(() => {
  temp = createTempWorkspace({ content: { 'server.mjs': "console.error('code of the folder');\n" } });
  writeFileSync(join(temp.directory, 'list.sh'), '#!/bin/sh\necho \'[{"name": "found"}]\'\n');
  chmodSync(join(temp.directory, 'list.sh'), 0o755);
});
afterEach(async () => {
  await toolbox.close();
  await temp.cleanup();
});

async function open(more: Partial<ToolboxOptions>): Promise<Toolbox> {
  const config = parseServer('named', { command: process.execPath, args: ['server.mjs'] }, 'test');
  toolbox = await createToolbox({
    workspace: temp.directory,
    stateFolder: join(temp.outside, 'state'),
    mcp: { servers: [{ config, place: '' }], onlyLooks: true },
    ownTools: { discoveryCommand: './list.sh', callCommand: '/bin/cat' },
    ...more,
  });
  return toolbox;
}

describe('a program that uses this library', () => {
  it('runs no code of a folder that it does not vouch for', async () => {
    const { mcp, notices } = await open({});
    await expect(mcp?.find('named')?.refresh(signal)).rejects.toThrow(
      /would run .*server\.mjs, which belongs to a folder that you do not trust/,
    );
    expect(notices).toEqual([
      expect.stringMatching(/would run .*list\.sh, which belongs to a folder that you do not trust/),
    ]);
  });

  it('runs it once it says that the folder is trusted', async () => {
    const { mcp, registry, notices } = await open({ trusted: true });
    await expect(mcp?.find('named')?.refresh(signal)).rejects.toThrow(/code of the folder/);
    expect(notices).toEqual([]);
    expect(registry.getTool('found')).toBeDefined();
  });
});

describe('edits of a large file, one after the other', () => {
  it('make one new copy of it each: what the last edit wrote is not read into memory again', async () => {
    const size = 8_000_000;
    writeFileSync(
      join(temp.directory, 'large.txt'),
      `number 0\n${'x'
        .repeat(79)
        .concat('\n')
        .repeat(size / 80)}`,
    );
    const { scheduler } = await open({ approvalMode: 'yolo', ownTools: undefined, mcp: undefined });
    const edit = async (count: number): Promise<void> => {
      const args = {
        file_path: 'large.txt',
        old_string: `number ${count}`,
        new_string: `number ${count + 1}`,
      };
      const [settled] = await scheduler.run([{ id: `${count}`, name: 'edit', arguments: args }], signal);
      expect(settled?.error).toBeUndefined();
    };
    await edit(0);
    const before = process.memoryUsage().arrayBuffers;
    for (let count = 1; count <= 3; count++) await edit(count);
    // A collection in between makes it less.
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(3 * 1.5 * size);
  });
});
