import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { acpStage, choose } from './acp/stage.js';
import { linesOf, openStage } from './headless/run.js';
import type { Machine } from './program.js';

/** The compiler of this repository is a language server too. */
const compiler = fileURLToPath(new URL('../node_modules/typescript', import.meta.url));

const answers = [
  { calls: [{ name: 'read_file', arguments: { absolute_path: 'sum.ts' } }] },
  {
    calls: [{ name: 'edit', arguments: { file_path: 'sum.ts', old_string: '= 1', new_string: "= 'one'" } }],
  },
  { text: 'Done.' },
];

/** A folder that the user trusts, with a compiler of its own. */
async function prepare({ home, workspace, write, run }: Machine): Promise<void> {
  const settings = join(home, '.toolwright/settings.json');
  mkdirSync(dirname(settings), { recursive: true });
  writeFileSync(settings, JSON.stringify({ languages: { wait: 30_000 } }));
  write('sum.ts', 'export const sum: number = 1;\n');
  mkdirSync(join(workspace, 'node_modules'));
  symlinkSync(compiler, join(workspace, 'node_modules/typescript'));
  expect((await run(['trust'])).code).toBe(0);
}

const message = "Type 'string' is not assignable to type 'number'.";

it('a program that reads lines of stream-json gets the errors that a change brought', async () => {
  const stage = await openStage({ answers });
  try {
    await prepare(stage.machine);
    const args = ['-p', 'go', '--output-format', 'stream-json', '--approval-mode', 'yolo'];
    const { code, stdout } = await stage.run(args);
    expect(code).toBe(0);
    const ends = linesOf(stdout).filter(({ type }) => type === 'call-end');
    expect(ends.map(({ tool, newErrors }) => [tool, newErrors])).toEqual([
      ['read_file', undefined],
      [
        'edit',
        [
          expect.objectContaining({
            total: 1,
            isLate: false,
            errors: [{ path: 'sum.ts', line: 1, column: 14, message, code: '2322' }],
          }),
        ],
      ],
    ]);
  } finally {
    await stage.close();
  }
});

it('an editor shows the errors that a change brought below its diff', async () => {
  const { editor, machine } = await acpStage({ answers });
  await prepare(machine);
  const open = await editor({ permission: choose('allow_once') });
  const id = await open.begin();
  expect(await open.prompt(id, 'go')).toBe('end_turn');
  const ended = open.of('tool_call_update').filter(({ status }) => status === 'completed');
  expect(ended.at(-1)?.content).toMatchObject([
    { type: 'diff', newText: "export const sum: number = 'one';\n" },
    { type: 'content', content: { text: expect.stringContaining(`sum.ts:1:14: ${message} (2322)`) } },
  ]);
});
