import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FileDiff } from '@toolwright/machine/base/content.js';
import { createTempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { expect, it } from 'vitest';
import { createToolbox } from '../../create-toolbox.js';

const { signal } = new AbortController();
const modules = fileURLToPath(new URL('../../../../../node_modules/', import.meta.url));

async function withToolbox(
  options: { trusted: boolean; format: boolean; model?: string },
  work: (around: {
    call(name: string, args: object): Promise<string>;
    read(path: string): string;
    write(path: string, text: string): void;
    remove(path: string): void;
    asked: FileDiff[];
  }) => Promise<void>,
): Promise<void> {
  const temp = createTempWorkspace({
    content: {
      'biome.json': '{"formatter":{"indentStyle":"space"}}',
      'a.ts': 'const a = 1;\n',
      'n.txt': 'x',
    },
  });
  mkdirSync(join(temp.directory, 'node_modules'));
  symlinkSync(join(modules, '@biomejs'), join(temp.directory, 'node_modules/@biomejs'));
  const asked: FileDiff[] = [];
  const toolbox = await createToolbox({
    workspace: temp.directory,
    stateFolder: join(temp.outside, 'state'),
    trusted: options.trusted,
    languages: { format: options.format, enabled: false },
    modelName: { provider: 'openai', model: options.model ?? 'other' },
    async confirm({ details }) {
      if ('diff' in details && details.diff) asked.push(details.diff);
      return { kind: 'once' };
    },
  });
  const call = async (name: string, args: object): Promise<string> => {
    const [done] = await toolbox.scheduler.run([{ id: '1', name, arguments: { ...args } }], signal);
    const { output, error } = done!.response.response as Record<string, string>;
    return String(output ?? error);
  };
  try {
    await work({
      call,
      asked,
      read: temp.read,
      write: temp.write,
      remove: (path) => rmSync(join(temp.directory, path)),
    });
  } finally {
    await toolbox.close();
    await temp.cleanup();
  }
}

it('edits, new files and patches are formatted as part of the change that the user is shown', async () => {
  await withToolbox({ trusted: true, format: true }, async ({ call, read, asked }) => {
    const edit = { file_path: 'a.ts', old_string: 'const a = 1;', new_string: "const a   = 'one'" };
    expect(await call('edit', edit)).toContain('The file was formatted with biome.');
    expect(read('a.ts')).toBe('const a = "one";\n');
    expect(asked[0]?.files[0]?.unified).toContain('+const a = "one";');
    await call('write_file', { file_path: 'b.ts', content: 'function b( ){return 1}' });
    expect(read('b.ts')).toBe('function b() {\n  return 1;\n}\n');
    // Text that the formatter does not understand is written as it is.
    await call('write_file', { file_path: 'c.ts', content: 'function (' });
    expect(read('c.ts')).toBe('function (');
    await call('write_file', { file_path: 'n2.txt', content: 'a   b' });
    expect(read('n2.txt')).toBe('a   b');
  });
  await withToolbox({ trusted: true, format: true, model: 'gpt-5' }, async ({ call, read }) => {
    const patch = (...lines: string[]) =>
      call('apply_patch', { patch: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n') });
    expect(await patch('*** Add File: p.ts', '+let p=1')).toBe(
      'Created p.ts. The file was formatted with biome.',
    );
    expect(read('p.ts')).toBe('let p = 1;\n');
    expect(await patch('*** Update File: p.ts', '@@', '-let p = 1;', '+let p  =  2')).toBe(
      'p.ts: changed at line 1.\nThe file was formatted with biome.\nLine 1 now:\nlet p = 2;',
    );
  });
}, 60_000);

it('prettier and ruff format only where the project names them: they may be there for another package', async () => {
  await withToolbox({ trusted: true, format: true }, async ({ call, read, write, remove }) => {
    const program = "process.stdin.resume().on('end', () => console.log('formatted'));";
    write('node_modules/prettier/bin/prettier.cjs', program);
    write('.venv/bin/ruff', `#!${process.execPath}\n${program}`);
    const formatted = async (file: string): Promise<boolean> => {
      write(file, 'x\n');
      await call('read_file', { absolute_path: file });
      await call('write_file', { file_path: file, content: `${file}\n` });
      return read(file) === 'formatted\n';
    };
    write('package.json', '{"devDependencies":{"prettier-plugin":"1.0.0"}}');
    write('pyproject.toml', '[project]\nname = "ruff"\n');
    expect([await formatted('a.md'), await formatted('a.py')]).toEqual([false, false]);
    write('package.json', '{"devDependencies":{"prettier":"3.0.0"}}');
    expect(await formatted('b.md')).toBe(true);
    write('package.json', '{}');
    write('.prettierrc.json', '{}');
    expect(await formatted('c.md')).toBe(true);
    remove('.prettierrc.json');
    expect(await formatted('d.md')).toBe(false);
    write('packages/one/prettier.config.mts', '');
    expect([await formatted('packages/one/src/e.md'), await formatted('packages/f.md')]).toEqual([
      true,
      false,
    ]);
  });
}, 60_000);

it.each([
  { trusted: false, format: true },
  { trusted: true, format: false },
])('nothing is formatted with %j', async (options) => {
  await withToolbox(options, async ({ call, read }) => {
    await call('write_file', { file_path: 'b.ts', content: 'let b=1' });
    expect(read('b.ts')).toBe('let b=1');
  });
});
