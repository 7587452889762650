import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeTree } from '@toolwright/machine/changes/staged-run/fixtures/describe-tree.js';
import { canStage, leftoversOf } from '@toolwright/machine/changes/staged-run/fixtures/temp-staged.js';
import { createIds } from '@toolwright/machine/host/node-host.js';
import { createTempWorkspace, type TempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAgent } from '../create-agent.js';
import { createToolbox, type Toolbox } from '../create-toolbox.js';
import { createOfflineModel } from '../model/offline/offline.js';
import type { ToolboxOptions } from '../options/toolbox-options.js';
import { apartOptions, callTool } from './fixtures/session-apart.js';

const canTry = await canStage();
if (!canTry) console.log('evidence: no overlays here: the rules of sessions apart were not tried');

const { signal } = new AbortController();
let temp: TempWorkspace;
let toolbox: Pick<Toolbox, 'close'>;
let asked: string[];

beforeEach(() => {
  asked = [];
  temp = createTempWorkspace({ content: { 'a.txt': 'one\n', 'b.txt': 'two\n' } });
});
afterEach(async () => {
  await toolbox.close();
  const left = leftoversOf(temp.directory, join(temp.outside, 'state'));
  expect(left).toEqual({ mounts: 0, folders: 0, processes: 0 });
  await temp.cleanup();
});

const options = (): ToolboxOptions => apartOptions(temp, asked);

async function open(more: Partial<ToolboxOptions> = {}) {
  const opened = await createToolbox({ ...options(), ...more });
  toolbox = opened;
  const call = (name: string, args: object): Promise<string> => callTool(opened, name, args);
  return {
    ...opened,
    call,
    shell: (command: string, rest = {}) => call('run_shell_command', { command, ...rest }),
  };
}

const rule = (verdict: 'ask' | 'deny', text: string) => ({ verdict, text, source: 'test' });
const here = (path: string): string => join(temp.directory, path);

describe.runIf(canTry)('a session apart', () => {
  it.each(['default', 'auto-edit', 'yolo'] as const)(
    'asks nothing about files, commands and jobs in the mode %s',
    async (approvalMode) => {
      const before = describeTree(temp.directory);
      const { call, shell } = await open({ approvalMode });
      await call('write_file', { file_path: 'c.txt', content: 'new\n' });
      await shell('rm b.txt');
      await shell('sleep 300', { is_background: true });
      expect(asked).toEqual([]);
      expect(describeTree(temp.directory)).toEqual(before);
    },
  );

  it('obeys rules that deny and that ask', async () => {
    const { call, apart } = await open({
      rules: [rule('deny', 'Edit(a.txt)'), rule('ask', 'Edit(b.txt)')],
    });
    await expect(call('write_file', { file_path: 'a.txt', content: 'x' })).rejects.toThrow('Edit(a.txt)');
    await call('write_file', { file_path: 'b.txt', content: 'x\n' });
    expect(asked).toEqual([expect.stringContaining('Edit(b.txt)')]);
    expect((await apart.review(signal)).review.summary).toBe('1 file changed');
  });

  it('keeps nothing that a rule denies by now', async () => {
    const first = await open();
    await first.shell('echo x > a.txt; echo x > b.txt');
    const { id } = first.apart;
    await first.close();
    const { apart } = await open({ apart: id ?? false, rules: [rule('deny', 'Edit(a.txt)')] });
    const { digest } = (await apart.review(signal)).review;
    const { conflicts } = await apart.keep({ digest, choice: 'all' }, signal);
    expect(conflicts).toEqual([{ path: here('a.txt'), why: expect.stringContaining('Edit(a.txt)') }]);
    expect(['a.txt', 'b.txt'].map((name) => readFileSync(here(name), 'utf8'))).toEqual(['one\n', 'x\n']);
  });

  it('keeps only what was shown: a change after the review needs another one', async () => {
    const { apart, shell } = await open();
    await shell('echo x > a.txt');
    const { digest } = (await apart.review(signal)).review;
    await shell('echo y >> a.txt');
    await expect(apart.keep({ digest, choice: 'all' }, signal)).rejects.toThrow(
      'The changes are not those that were shown any more. Review them again.',
    );
    expect(readFileSync(here('a.txt'), 'utf8')).toBe('one\n');
  });

  it('works apart on every folder that may be written', async () => {
    const other = join(temp.outside, 'other');
    mkdirSync(other);
    writeFileSync(join(other, 'c.txt'), 'three\n');
    const { apart, call, shell } = await open({ include: [{ path: other, access: 'write' }] });
    await call('edit', { file_path: join(other, 'c.txt'), old_string: 'three', new_string: 'THREE' });
    await shell(`cat ${other}/c.txt > a.txt; echo new > ${other}/d.txt`);
    expect([readFileSync(join(other, 'c.txt'), 'utf8'), existsSync(join(other, 'd.txt'))]).toEqual([
      'three\n',
      false,
    ]);
    const { review } = await apart.review(signal);
    await apart.keep({ digest: review.digest, choice: 'all' }, signal);
    expect(
      [join(other, 'c.txt'), here('a.txt'), join(other, 'd.txt')].map((path) => readFileSync(path, 'utf8')),
    ).toEqual(['THREE\n', 'THREE\n', 'new\n']);
    expect(asked).toEqual([]);
  });

  it('is one of the library too', async () => {
    const agent = await createAgent({ ...options(), model: createOfflineModel(createIds()) });
    toolbox = agent;
    await agent.prompt("replace 'one' with 'ONE' in a.txt");
    expect([readFileSync(here('a.txt'), 'utf8'), asked]).toEqual(['one\n', []]);
    const { review } = await agent.apart.review(signal);
    await agent.apart.keep({ digest: review.digest, choice: 'all' }, signal);
    expect(readFileSync(here('a.txt'), 'utf8')).toBe('ONE\n');
  });
});
