import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTempWorkspace, type TempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { afterEach, expect, it } from 'vitest';
import { createToolbox, type Toolbox } from './create-toolbox.js';

const { signal } = new AbortController();
let temp: TempWorkspace;
let toolbox: Toolbox | undefined;

afterEach(async () => {
  await toolbox?.close();
  await temp.cleanup();
});

function install(into: TempWorkspace, packages: readonly string[]): void {
  into.write('package.json', '{"private":true}');
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...packages];
  execFileSync('npm', args, { cwd: into.directory, stdio: 'ignore' });
}

/** `bin`: a folder with programs of the machine. */
async function open(
  content: Record<string, string>,
  packages: readonly string[] = [],
  bin = '',
): Promise<void> {
  temp = createTempWorkspace({ content });
  if (packages.length > 0) install(temp, packages);
  toolbox = await createToolbox({
    workspace: temp.directory,
    stateFolder: join(temp.outside, 'state'),
    approvalMode: 'yolo',
    trusted: true,
    forModel: true,
    environment: { ...process.env, PATH: `${bin === '' ? '' : `${bin}:`}${process.env['PATH']}` },
    languages: { waitMs: 60_000 },
  });
}

/** Calls a tool, and prints its response for whoever runs this. */
async function call(name: string, args: Record<string, unknown>): Promise<string> {
  const [settled] = await toolbox!.scheduler.run([{ id: '1', name, arguments: args }], signal);
  const { output, error, notes = [] } = settled!.response.response as Record<string, string>;
  const text = [output ?? error, ...notes].join('\n');
  console.log(`--- ${name} ${JSON.stringify(args)}\n${text}`);
  return text;
}

const edit = (file_path: string, old_string: string, new_string: string) =>
  call('edit', { file_path, old_string, new_string });

it('pyright of npm says what a change of Python broke, and nothing after a right one', async () => {
  await open(
    {
      'prices.py': 'def price(amount: int) -> float:\n    return amount * 1.5\n',
      'shop.py': 'from prices import price\n\ntotal: float = price(3)\n',
    },
    ['pyright@1.1.414'],
  );
  await call('read_file', { absolute_path: 'prices.py' });
  expect(await edit('prices.py', '* 1.5', '* 2.5')).not.toContain('new error');
  const broken = await edit('prices.py', 'amount: int) -> float', 'amount: int, currency: str) -> str');
  expect(broken).toContain('2 new errors after this change, says the python server:');
  expect(broken).toContain('prices.py:2:12: Type "float" is not assignable to return type "str"');
  expect(broken).toContain('shop.py:3:16: Argument missing for parameter "currency"');
  const mended = await edit('prices.py', 'amount: int, currency: str) -> str', 'amount: int) -> float');
  expect(mended).not.toContain('new error');
}, 300_000);

it('pyright finds the packages of the virtual environment of a trusted folder', async (ctx) => {
  if (!existsSync('/usr/bin/python3')) ctx.skip('this machine has no /usr/bin/python3');
  await open(
    {
      'tides.py': 'total: int = 1\n',
      '.gitignore': '.venv\nnode_modules\n',
    },
    ['pyright@1.1.414'],
  );
  execFileSync('/usr/bin/python3', ['-m', 'venv', '--without-pip', '.venv'], { cwd: temp.directory });
  const [library = ''] = execFileSync(
    temp.path('.venv/bin/python'),
    ['-c', 'import site; print(site.getsitepackages()[0])'],
    {
      cwd: temp.directory,
      encoding: 'utf8',
    },
  ).split('\n');
  mkdirSync(join(library, 'moon'));
  writeFileSync(join(library, 'moon', '__init__.py'), 'def phase(day: int) -> str:\n    return "full"\n');
  await call('read_file', { absolute_path: 'tides.py' });
  expect(
    await edit('tides.py', 'total: int = 1', 'from moon import phase\n\ntotal: int = phase(1)'),
  ).toContain('tides.py:3:14: Type "str" is not assignable to declared type "int"');
}, 300_000);

it.each([
  ['typescript-language-server', ['typescript-language-server@5.1.3', 'typescript@5.9.3']],
  ['vtsls', ['@vtsls/language-server@0.3.0']],
])(
  '%s of npm on the PATH answers the code tool, and is not waited for after a change',
  async (program, packages) => {
    const other = createTempWorkspace();
    try {
      install(other, packages);
      const content = {
        'a.ts': 'export const total = 1;\n',
        'b.ts': "import { total } from './a';\nprint(total);\n",
      };
      await open({ ...content, 'tsconfig.json': '{}' }, [], other.path('node_modules/.bin'));
      expect(existsSync(other.path(`node_modules/.bin/${program}`))).toBe(true);
      await call('read_file', { absolute_path: 'b.ts' });
      await expect.poll(() => toolbox?.registry.getTool('code')?.name, { timeout: 60_000 }).toBe('code');
      expect(await edit('b.ts', 'print(total)', 'show(total)')).not.toContain('new error');
      expect(await call('code', { action: 'hover', file_path: 'b.ts', symbol: 'total', line: 2 })).toContain(
        'import total',
      );
    } finally {
      await other.cleanup();
    }
  },
  300_000,
);

it('basedpyright of npm on the PATH says what a change broke', async () => {
  const other = createTempWorkspace();
  try {
    install(other, ['basedpyright@1.40.1']);
    await open({ 'a.py': 'total: int = 1\n' }, [], other.path('node_modules/.bin'));
    await call('read_file', { absolute_path: 'a.py' });
    expect(await edit('a.py', '= 1', '= 2')).not.toContain('new error');
    expect(await edit('a.py', '= 2', '= "two"')).toContain('says basedpyright 1.40.1:\na.py:1:14: Type');
  } finally {
    await other.cleanup();
  }
}, 300_000);

it('clangd says what a change of a header broke', async (ctx) => {
  if (!existsSync('/usr/bin/clangd')) ctx.skip('this machine has no clangd (Debian: apt-get install clangd)');
  await open({
    'shape.h': 'int area(int width, int height);\n',
    'main.c': '#include "shape.h"\n\nint main(void) { return area(2, 3); }\n',
  });
  await call('read_file', { absolute_path: 'shape.h' });
  expect(await edit('shape.h', 'int area', '// Square units.\nint area')).not.toContain('new error');
  const broken = await edit('shape.h', 'int width, int height', 'int width');
  expect(broken).toContain('main.c:3:33: Too many arguments to function call');
  await call('read_file', { absolute_path: 'main.c' });
  expect(await edit('main.c', 'area(2, 3)', 'area(2)')).not.toContain('new error');
  expect(await edit('main.c', 'area(2);', 'area(2)')).toContain('main.c:3:33: Expected');
}, 300_000);

it('gopls says what a change of Go broke, also in a file that was not touched', async (ctx) => {
  if (!existsSync('/usr/bin/gopls') || !existsSync('/usr/bin/go'))
    ctx.skip('this machine has no gopls (Debian: apt-get install golang-go gopls)');
  await open({
    'go.mod': 'module example.org/shop\n\ngo 1.19\n',
    'price.go': 'package main\n\nfunc price(amount int) int { return amount * 2 }\n',
    'main.go': 'package main\n\nfunc main() { println(price(3)) }\n',
  });
  await call('read_file', { absolute_path: 'price.go' });
  expect(await edit('price.go', 'amount * 2', 'amount * 3')).not.toContain('new error');
  const broken = await edit('price.go', 'amount int) int', 'amount int, currency string) int');
  expect(broken).toMatch(/main\.go:3:\d+: [Nn]ot enough arguments in call to price/);
  expect(await edit('price.go', 'amount int, currency string) int', 'amount int) int')).not.toContain(
    'new error',
  );
}, 300_000);

it('rust-analyzer says what a change of Rust broke', async (ctx) => {
  const version = spawnSync('rust-analyzer', ['--version'], { encoding: 'utf8' });
  if (version.status !== 0)
    ctx.skip('this machine has no rust-analyzer (rustup component add rust-analyzer)');
  await open({
    'Cargo.toml': '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n',
    'src/main.rs': 'fn main() {\n    let total = 1;\n    println!("{total}");\n}\n',
  });
  await call('read_file', { absolute_path: 'src/main.rs' });
  expect(await edit('src/main.rs', 'let total = 1;', 'let total = ;')).toContain('src/main.rs:2:');
}, 300_000);
