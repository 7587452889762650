import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  becomeOrdinaryUser,
  type OrdinaryUser,
} from '@toolwright/machine/changes/staged-run/fixtures/as-ordinary-user.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Edited } from './fixtures/shared-folder.js';

/** Files that an ordinary user may write but does not own, and files that this user may not write at all. */

const isRoot = process.getuid?.() === 0;
if (!isRoot) console.log('not tested: only root can make files of another user');

const NOBODY = 65_534;
const program = new URL('./fixtures/shared-folder.ts', import.meta.url);
let base = '';
let user: OrdinaryUser;
const undo: (() => void)[] = [];

beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'toolwright-shared-'));
  chmodSync(base, 0o755);
  user = becomeOrdinaryUser();
});

afterAll(async () => {
  for (const act of undo.splice(0)) act();
  rmSync(base, { recursive: true, force: true });
  await user.leave();
});

interface Made {
  folder: number;
  folderOwner?: number;
  file: number;
  owner: [user: number, group: number];
}

let count = 0;

/** A workspace of root's with one file in a folder of its own. */
function make({ folder, folderOwner = 0, file, owner }: Made): { workspace: string; path: string } {
  const workspace = join(base, `w${count++}`);
  const path = join(workspace, 'd', 'a.txt');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, 'one\nold\nthree\n');
  chownSync(path, ...owner);
  chmodSync(path, file);
  chownSync(dirname(path), folderOwner, NOBODY);
  chmodSync(dirname(path), folder);
  return { workspace, path };
}

async function edit(workspace: string): Promise<Edited> {
  const state = join(base, `state${count}`);
  mkdirSync(state);
  chownSync(state, NOBODY, NOBODY);
  const [edited] = await user.call<Edited[]>(program, 'editAndUndo', workspace, state, ['d/a.txt']);
  expect(readdirSync(join(workspace, 'd'))).toEqual(['a.txt']);
  return edited!;
}

const inPlace = (why: string) =>
  `d/a.txt is overwritten in place, not replaced, because ${why}; owner and mode stay.`;

const writable: [name: string, made: Made, why: string][] = [
  [
    'a file of another user in a folder that the group may write',
    { folder: 0o2775, file: 0o664, owner: [0, NOBODY] },
    'it belongs to another user',
  ],
  [
    'a file of another user in a sticky folder',
    { folder: 0o1777, file: 0o666, owner: [0, 0] },
    'it belongs to another user',
  ],
  [
    'a file of another user in a folder that takes no new files',
    { folder: 0o755, file: 0o664, owner: [0, NOBODY] },
    'it belongs to another user',
  ],
  [
    'an own file in a folder that takes no new files',
    { folder: 0o755, file: 0o600, owner: [NOBODY, NOBODY] },
    'its folder takes no new files',
  ],
  [
    'an own file of a group that one is not in',
    { folder: 0o2775, file: 0o660, owner: [NOBODY, 0] },
    'it belongs to a group that you are not in',
  ],
  [
    'a file that only the group may read and write',
    { folder: 0o775, file: 0o060, owner: [0, NOBODY] },
    'it belongs to another user',
  ],
];

test.runIf(isRoot).each(writable)(
  '%s is written in place after saying so, and undone',
  async (_name, made, why) => {
    const { workspace } = make(made);
    expect(await edit(workspace)).toEqual({
      said: `Edited d/a.txt: 1 replacement at line 2. ${inPlace(why)}`,
      warned: [inPlace(why)],
      content: 'one\nnew\nthree\n',
      owner: `${made.owner.join(':')} ${made.file.toString(8)}`,
      undone: 'one\nold\nthree\n',
    });
  },
);

test.runIf(isRoot)(
  'a file that is a mount point is written in place after saying so, and undone',
  async () => {
    const { workspace, path } = make({
      folder: 0o755,
      folderOwner: NOBODY,
      file: 0o644,
      owner: [NOBODY, NOBODY],
    });
    const source = join(base, 'source.txt');
    writeFileSync(source, 'one\nold\nthree\n');
    chownSync(source, NOBODY, NOBODY);
    try {
      execFileSync('mount', ['--bind', source, path], { stdio: 'pipe' });
    } catch {
      console.log('not tested: nothing can be mounted here');
      return;
    }
    undo.push(() => execFileSync('umount', [path]));
    expect(await edit(workspace)).toMatchObject({
      said: `Edited d/a.txt: 1 replacement at line 2. ${inPlace('it is a mount point')}`,
      content: 'one\nnew\nthree\n',
      undone: 'one\nold\nthree\n',
    });
  },
);

const refused: [name: string, made: Made][] = [
  ['a file that may only be read', { folder: 0o755, file: 0o644, owner: [0, 0] }],
  [
    'a file that may only be read in a folder that may be written',
    { folder: 0o2775, file: 0o644, owner: [0, 0] },
  ],
];

test.runIf(isRoot).each(refused)('%s is refused, and the refusal says what is so', async (_name, made) => {
  const { workspace } = make(made);
  expect(await edit(workspace)).toMatchObject({
    said: "denied: Can't open d/a.txt: the operating system does not permit it.",
    content: 'one\nold\nthree\n',
  });
});

test.runIf(isRoot)('a file that nobody may change is refused, and the refusal says what is so', async () => {
  const { workspace, path } = make({ folder: 0o777, file: 0o666, owner: [NOBODY, NOBODY] });
  try {
    execFileSync('chattr', ['+i', path], { stdio: 'pipe' });
  } catch {
    console.log('not tested: no file can be made unchangeable here');
    return;
  }
  undo.push(() => execFileSync('chattr', ['-i', path]));
  expect(await edit(workspace)).toMatchObject({
    said: "denied: Can't open d/a.txt: the operating system does not permit it.",
    content: 'one\nold\nthree\n',
  });
});

test.runIf(isRoot)('an own file in an own folder is replaced, without a word', async () => {
  const made: Made = { folder: 0o755, folderOwner: NOBODY, file: 0o640, owner: [NOBODY, NOBODY] };
  const edited = await edit(make(made).workspace);
  expect(edited).toMatchObject({ warned: [], owner: `${NOBODY}:${NOBODY} 640`, undone: 'one\nold\nthree\n' });
  expect(edited.said).not.toContain('in place');
});

const KILLS = 4;

test.runIf(isRoot)('a file that is overwritten in place survives kills of the program', async () => {
  const { workspace, path } = make({ folder: 0o2775, file: 0o664, owner: [0, NOBODY] });
  const body = Array.from({ length: 600_000 }, (_, index) => `line number ${index}\n`).join('');
  const versions = [Buffer.from(`old\n${body}`), Buffer.from(`newer\n${body}`)];
  const isWhole = () => versions.some((version) => version.equals(readFileSync(path)));
  writeFileSync(path, versions[0]!);
  const state = join(base, 'state-of-kills');
  mkdirSync(state);
  chownSync(state, NOBODY, NOBODY);
  const seen = { torn: 0, unfinished: 0 };
  for (let kill = 0; kill < KILLS; kill++) {
    const killed = user.call(program, 'editUntilKilled', workspace, state, 150 + Math.random() * 500);
    await expect(killed).rejects.toMatchObject({ signal: 'SIGKILL' });
    if (!isWhole()) seen.torn++;
    const outcomes = await user.call<string[]>(program, 'recoverAfterKill', workspace, state);
    seen.unfinished += outcomes.length;
    expect(isWhole()).toBe(true);
    const { uid, gid, mode } = statSync(path);
    expect([uid, gid, mode & 0o777]).toEqual([0, NOBODY, 0o664]);
  }
  console.log(
    `overwritten in place: ${KILLS} kills, ${seen.unfinished} found unfinished, ${seen.torn} of them torn, all whole after the next start`,
  );
  expect(readdirSync(join(workspace, 'd'))).toEqual(['a.txt']);
});
