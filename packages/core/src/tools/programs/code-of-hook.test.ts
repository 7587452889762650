import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createTempWorkspace, type TempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { codeOfHook } from './code-of-hook.js';

let temp: TempWorkspace;
beforeEach(() => {
  temp = createTempWorkspace({ content: { 'a.txt': 'text\n' } });
  const script = '#!/bin/sh\nx=$(cat)\necho "$x"\n';
  for (const path of ['.claude/hooks/guard.sh', 'node_modules/.bin/guard', 'sub/check.sh']) {
    temp.write(path, script);
    chmodSync(join(temp.directory, path), 0o755);
  }
  for (const path of ['check.pl', 'check.php', 'check.lua']) temp.write(path, 'print "x"\n');
  temp.write('package.json', JSON.stringify({ scripts: { guard: 'touch ran' } }));
  mkdirSync(join(temp.directory, '.git'));
});
afterEach(() => temp.cleanup());

const why = (command: string): Promise<string | undefined> =>
  codeOfHook(command, {
    directory: temp.directory,
    roots: [temp.directory],
    environment: { PATH: '/usr/bin:/bin', HOME: temp.outside, MINE: `${temp.outside}/bin` },
  });

it.each([
  '$CLAUDE_PROJECT_DIR/.claude/hooks/guard.sh',
  '"$CLAUDE_PROJECT_DIR"/.claude/hooks/guard.sh; echo "$(date)" >&2',
  '"$CLAUDE_PROJECT_DIR/.claude/hooks/guard.sh" "$HOME"',
  'echo "$(bash "$CLAUDE_PROJECT_DIR/.claude/hooks/guard.sh" "$X")"',
  '$PWD/.claude/hooks/guard.sh',
  '"$(pwd)/.claude/hooks/guard.sh"',
  '$(git rev-parse --show-toplevel)/.claude/hooks/guard.sh',
  'cat | bash .claude/hooks/guard.sh',
  'echo "$(date)"; cat .claude/hooks/guard.sh | bash',
  'cd sub && ./check.sh "$X"',
  'cd sub; echo "$(date)"; cat check.sh | sh',
  'npx eslint "$(jq -r .tool_input.file_path)"',
  'npm run guard -- "$X"',
  'npm -P exec guard',
  'echo x | xargs npx guard',
  'cat > /dev/null; make check',
  'PATH=./node_modules/.bin:$PATH guard .',
  'export PATH="$CLAUDE_PROJECT_DIR/node_modules/.bin:$PATH"; guard .',
  'perl check.pl "$X"',
  'php check.php "$X"',
  'lua check.lua',
  `bash -c '"$CLAUDE_PROJECT_DIR"/.claude/hooks/guard.sh'`,
  "eval '$CLAUDE_PROJECT_DIR/sub/check.sh'",
  "timeout 5 sh -c '$CLAUDE_PROJECT_DIR/sub/check.sh'",
  "trap '$CLAUDE_PROJECT_DIR/sub/check.sh' EXIT",
  `bash -c "bash -c '\\$PWD/sub/check.sh'"`,
  "find . -exec sh -c '$PWD/sub/check.sh' ';'",
  'bash -c "\\$CLAUDE_PROJECT_DIR/sub/check.sh"',
  "ls | watch '$CLAUDE_PROJECT_DIR/sub/check.sh'",
  "su -c '$CLAUDE_PROJECT_DIR/sub/check.sh'",
  "flock x -c '$CLAUDE_PROJECT_DIR/sub/check.sh'",
  "parallel '$CLAUDE_PROJECT_DIR/sub/check.sh' ::: a",
])('a hook is told to run code of the folder: %s', async (command) => {
  expect(await why(command)).toMatch(/^it would run \S+, which belongs to a folder that you do not trust$/);
});

it.each([
  '$X/.claude/hooks/guard.sh',
  'bash $X/guard.sh',
  'bash "$X"',
  'bash -c "$X"',
  'eval "$X"',
  '. "$X"',
  'timeout 5 "$X"',
  'cd "$X" && ./check.sh',
  'cat "$X/check.sh" | bash',
  'DIR=$(dirname "$X"); "$DIR/guard.sh"',
  'echo "',
  `bash -c '"$X"/guard.sh'`,
  "eval '$X/guard.sh'",
  `bash -c '"$1"' _ guard`,
  "echo a | xargs sh -c '. $CLAUDE_PROJECT_DIR/sub/check.sh'",
  "env -S 'sh -c $PWD/sub/check.sh'",
  "HOME=sub bash -c '$HOME/check.sh'",
  'cd sub && "$PWD"/check.sh',
  "cd sub && bash -c '$PWD/check.sh'",
  'cd sub && "$(pwd)"/check.sh',
  'for HOME in sub; do "$HOME"/check.sh; done',
  'echo sub | { read HOME; "$HOME"/check.sh; }',
])('a hook that runs what is known only then could run code of the folder: %s', async (command) => {
  expect(await why(command)).toBe(
    'what it runs is known only then, and may belong to a folder that you do not trust',
  );
});

it.each([
  'jq -r .tool_name >> ../outside/said.txt; echo "$(date)" >&2',
  'echo "$(date) task done"',
  `input=$(cat)
FILE=$(echo "$input" | jq -r '.tool_input.file_path // empty')
[ -z "$FILE" ] && exit 0
case "$FILE" in *.env) echo no >&2; exit 2;; esac`,
  '~/.claude/hooks/guard.sh "$X"',
  '"$HOME"/.claude/hooks/guard.sh',
  '"$MINE"/guard "$X"',
  'PATH="$HOME/bin:/usr/local/bin:$PATH" guard',
  'bash ~/.claude/hooks/guard.sh "$X"',
  'python3 -c "import sys; sys.exit(2)" "$X"',
  'jq -r .tool_input.file_path | xargs prettier --write',
  'FOO=1 notify-send done "$X"',
  'python3 - <<E\nimport json\nE',
  `bash -c '"$HOME"/guard.sh "$X"'`,
  `trap 'rm -f "$tmp"' EXIT; echo "$(date)"`,
  `jq '.a | select($x)' | awk '{print $1}'`,
  `find . -exec sh -c 'cat "$1"' _ {} ';'`,
])('a hook runs where nobody trusts the folder: %s', async (command) => {
  expect(await why(command)).toBeUndefined();
});
