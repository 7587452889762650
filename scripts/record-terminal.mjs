import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Plays the terminal example of a document in docs/ with the built program in a fresh folder and prints it:
 * `node scripts/record-terminal.mjs undo`. With --write it replaces the example in the document. Ids and times are made the
 * same each time.
 */
const recordings = {
  undo: {
    prepare: `mkdir -p src/deep
printf 'one\\ntwo\\n' > src/list.txt
printf 'deep\\n' > src/deep/word.txt
printf 'alpha\\n' > notes.txt`,
    steps: [
      `toolwright tools run run_shell_command --approval-mode auto-edit --args '{"command": "rm -rf src && sed -i s/alpha/beta/ notes.txt"}'`,
      'ls',
      'toolwright undo --list',
      'toolwright undo | tail -n 1',
      'ls && cat notes.txt src/deep/word.txt',
      'toolwright undo ID2 | tail -n 1',
      'ls',
      "echo 'by hand' >> notes.txt",
      'toolwright undo',
    ],
  },
  try: {
    prepare: `printf 'one\\ntwo\\n' > list.txt
printf '#!/bin/sh\\necho installing\\nrm list.txt\\necho 1 > version\\necho hooked > .npmrc\\n' > install.sh
chmod +x install.sh`,
    steps: [
      'toolwright try --drop ./install.sh',
      'ls -A',
      'toolwright try --keep ./install.sh; echo "status $?"',
      'toolwright try --keep \'echo 2 > version; exit 3\'; echo "status $?"',
      'toolwright undo --list',
      'toolwright undo | tail -n 1',
      'ls -A',
    ],
  },
};

const [name] = process.argv.slice(2);
if (!Object.hasOwn(recordings, name))
  throw new Error(`Which recording? ${Object.keys(recordings).join(' or ')}.`);
const { prepare, steps } = recordings[name];
const document = fileURLToPath(new URL(`../docs/${name}.md`, import.meta.url));
const program = fileURLToPath(new URL('../packages/cli/bin/toolwright.cjs', import.meta.url));

const base = mkdtempSync(join(tmpdir(), 'toolwright-record-'));
try {
  const lines = play();
  if (process.argv.includes('--write')) {
    const text = readFileSync(document, 'utf8');
    writeFileSync(
      document,
      text.replace(/^```console\n[\s\S]*?^```$/m, () => `\`\`\`console\n${lines}\`\`\``),
    );
  } else process.stdout.write(lines);
} finally {
  rmSync(base, { recursive: true, force: true });
}

function play() {
  const [home, work, bin] = ['home', 'work', 'bin'].map((name) => join(base, name));
  for (const folder of [home, work, bin]) mkdirSync(folder);
  writeFileSync(join(bin, 'toolwright'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`);
  chmodSync(join(bin, 'toolwright'), 0o755);
  const ids = new Map();
  const env = { PATH: `${bin}:${process.env.PATH}`, HOME: home, LANG: 'C.UTF-8', NO_COLOR: '1' };
  const run = (command) => {
    const { stdout, error } = spawnSync('bash', ['-c', `exec 2>&1\n${command}`], {
      cwd: work,
      env,
      encoding: 'utf8',
    });
    if (error) throw error;
    return stdout;
  };
  run(prepare);
  let lines = '';
  for (const step of steps) {
    const printed = run(step.replace(/\bID(\d)\b/g, (_, number) => [...ids.keys()][number - 1]));
    lines += `$ ${step}\n${steady(printed, ids)}`;
  }
  return lines;
}

function steady(text, ids) {
  return text
    .replace(/\b0[0-9a-z]{23}\b/g, (id) => {
      if (!ids.has(id)) ids.set(id, `ID${ids.size + 1}`);
      return ids.get(id);
    })
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, '2026-01-31 12:00:00');
}
