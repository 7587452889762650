import { join } from 'node:path';
import { createTempWorkspace, type TempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createToolbox, type Toolbox } from '../../create-toolbox.js';
import { RepoMapTool } from './repo-map.js';

let temp: TempWorkspace;
let toolbox: Toolbox;
const { signal } = new AbortController();

beforeEach(async () => {
  temp = createTempWorkspace({
    content: {
      'src/shop.py': 'class Shop:\n    def sell(self): pass\n',
      'src/price.py': 'def price_of(thing): return 1\n',
      'src/bill.py': 'from price import price_of\n\ndef bill(): return price_of(1)\n',
      'secret/key.py': 'def key(): pass\n',
      'dropped/old.py': 'def old(): pass\n',
      '.gitignore': 'dropped/\n',
      'notes.txt': 'words\n',
    },
  });
  toolbox = await createToolbox({
    workspace: temp.directory,
    stateFolder: join(temp.outside, 'state'),
    forModel: true,
    languages: { enabled: false },
    rules: [{ verdict: 'deny', text: 'Read(secret/**)', source: 'test' }],
  });
});
afterEach(async () => {
  await toolbox.close();
  await temp.cleanup();
});

async function call(name: string, args: object): Promise<string> {
  const [done] = await toolbox.scheduler.run([{ id: '1', name, arguments: { ...args } }], signal);
  const { output, error } = done!.response.response as Record<string, string>;
  return String(output ?? error);
}

const outline = (path: string) => call('read_file', { absolute_path: temp.path(path), outline: true });

describe('read_file with outline', () => {
  it('gives the declarations with their lines, and the file does not count as read', async () => {
    expect(await outline('src/shop.py')).toBe(
      '[Outline of src/shop.py: 2 declarations, each after its line. Read lines with offset and limit.]\n1: class Shop:\n2:   def sell(self): pass',
    );
    const edited = { file_path: 'src/shop.py', old_string: 'pass', new_string: 'return' };
    expect(await call('edit', edited)).toContain('has not been read');
  });

  it('says what to do where there is none', async () => {
    expect(await outline('notes.txt')).toBe(
      'There is no outline for notes.txt: its language is not known here, or it is too large. Read it without outline.',
    );
    expect(await outline('secret/key.py')).toContain('Denied');
  });
});

describe('repo_map', () => {
  it('appears with the first source file, and puts first what the files read so far need', async () => {
    await call('read_file', { absolute_path: temp.path('notes.txt') });
    expect(toolbox.registry.getTool('repo_map')).toBeUndefined();
    await call('read_file', { absolute_path: temp.path('src/bill.py') });
    expect(await call('repo_map', {})).toBe(
      'src/bill.py\n  3: def bill(): return price_of(1)\nsrc/price.py\n  1: def price_of(thing): return 1\nsrc/shop.py\n  1: class Shop:\n  2:   def sell(self): pass',
    );
    expect(await call('repo_map', { path: 'secret' })).not.toContain('key');
  });

  it('looks first at what was read, then at the folder that is asked for, and says how much it did not look at', async () => {
    temp.write('a/first.py', 'def first(): pass\n');
    const lastSeen = (path: string) => (path === temp.path('src/shop.py') ? { hash: '' } : undefined);
    const tool = new RepoMapTool(toolbox.host, { hidden: () => false, seen: { lastSeen }, mostFiles: 2 });
    const map = async (path: string) => String((await tool.execute({ path }, signal)).llmContent);
    expect(await map('src')).toBe(
      'src/shop.py\n  1: class Shop:\n  2:   def sell(self): pass\nsrc/bill.py\n  3: def bill(): return price_of(1)\n[1 source file was not looked at: too many for one map. Ask for a folder.]',
    );
    expect(await map('a')).toContain('a/first.py');
  });
});
