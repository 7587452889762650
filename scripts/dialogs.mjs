/** Draws the dialogs of the terminal in three sizes: the built program runs on a real pseudo-terminal, and its screen becomes a picture. */
import { join } from 'node:path';
import { drawScenes } from './pictures/play.mjs';
import { mailServer } from './pictures/server.mjs';

const app = `import { name } from './names.js';

/** Says hello. */
export function hello(loud = false) {
  const text = 'Hello, ' + name;
  console.log(text);
  return text;
}
`;
const files = { 'src/app.ts': app, 'src/names.ts': "export const name = 'you';\n" };
const edit = (file_path, old_string, new_string) => ({
  name: 'edit',
  arguments: { file_path, old_string, new_string },
});
const read = (absolute_path) => ({ name: 'read_file', arguments: { absolute_path } });
const write = (file_path, content) => ({ name: 'write_file', arguments: { file_path, content } });
const run = (command, more = {}) => ({ name: 'run_shell_command', arguments: { command, ...more } });
const mail = (tool, args = {}) => ({ name: `mail__${tool}`, arguments: args });
const lines = Array.from({ length: 60 }, (_, index) => `export const value${index} = ${index};`).join('\n');

const first = { calls: [read('src/app.ts'), read('src/names.ts')] };
const edits = {
  text: 'The greeting is built by hand. It reads better joined:',
  calls: [
    edit(
      'src/app.ts',
      "  const text = 'Hello, ' + name;",
      "  const text = ['Hello', name].join(', ') + (loud ? '!' : '.');",
    ),
    edit('src/names.ts', "'you'", "'world'"),
  ],
};
const manyLines = { calls: [write('src/values.ts', `${lines}\n`)] };
const asked = /y yes/;

/** A server of the user's settings, whose tools are known from an earlier look. */
const withServer = {
  home: { 'servers/mail.mjs': mailServer },
  async prepare({ home, put, run: runProgram }) {
    const settings = {
      mcpServers: { mail: { command: 'node', args: [join(home, 'servers/mail.mjs')], sandbox: 'off' } },
    };
    put(home, '.toolwright/settings.json', JSON.stringify(settings));
    await runProgram('mcp', 'list', '--check');
  },
};
/** A server whose code in the workspace is not what was agreed to. */
const changedServer = {
  files: { 'server.mjs': mailServer },
  home: {
    '.toolwright/settings.json': JSON.stringify({
      mcpServers: { mail: { command: 'node', args: ['server.mjs'], sandbox: 'off', trust: true } },
    }),
  },
  args: ['--trust'],
  async prepare({ work, put, run: runProgram }) {
    await runProgram('mcp', 'list', '--trust');
    put(work, 'server.mjs', `${mailServer}// Another version.\n`);
  },
};

const threeChanges = {
  calls: [
    edit('src/app.ts', "'Hello, '", "'Good day, '"),
    edit('src/app.ts', '  return text;', '  return text.trim();'),
    edit('src/names.ts', "'you'", "'world'"),
  ],
};
const apart = { answers: [first, threeChanges, { text: 'Three changes.' }], files, args: ['--apart'] };
const changedApart = ['change the greeting\r', /Three changes/];

/** Each: the answers of the model, the keys, and the text that shows that the screen is ready. */
const dialogs = {
  question: { answers: [first, edits], files, steps: [['tidy up\r', asked]] },
  always: {
    answers: [first, edits],
    files,
    steps: [
      ['tidy up\r', asked],
      ['a', /no limit/],
    ],
  },
  reason: {
    answers: [first, edits],
    files,
    steps: [
      ['tidy up\r', asked],
      ['nkeep the plus', /keep the plus/],
    ],
  },
  'long-question': { answers: [manyLines], files, steps: [['write them\r', asked]] },
  'question-end': {
    answers: [manyLines],
    files,
    steps: [
      ['write them\r', asked],
      ['\x1b[F', /value59/],
    ],
  },
  'deliberate-yes': {
    answers: [manyLines],
    files,
    steps: [
      ['write them\r', asked],
      ['y', /Type yes\s+to agree/],
    ],
  },
  deliberate: {
    answers: [
      { calls: [{ name: 'write_file', arguments: { file_path: 'src/values.ts', content: `${lines}\n` } }] },
    ],
    steps: [
      ['write them\r', /y yes/],
      ['y', /Type yes\s+to agree/],
    ],
  },
  command: {
    answers: [{ calls: [run('rm src/names.ts; echo done > out.txt; echo removed')] }],
    files,
    steps: [['clean up\r', asked]],
  },
  'command-output': {
    answers: [{ calls: [run('seq -f "test %g passed" 1 30; echo done > out.txt')] }],
    files,
    steps: [
      ['run the tests\r', asked],
      ['\x0f', /test [2-9] passed/],
    ],
  },
  'command-network': {
    answers: [{ calls: [run('npm publish', { network: true })] }],
    files,
    steps: [['publish it\r', asked]],
  },
  'command-outside': {
    answers: [{ calls: [run('make install', { outside: { write: ['~/bin/'], hosts: ['example.org'] } })] }],
    files,
    home: { 'bin/.keep': '' },
    steps: [['install it\r', asked]],
  },
  protected: {
    answers: [
      { calls: [read('.vscode/tasks.json')] },
      { calls: [edit('.vscode/tasks.json', 'npm test', 'npm run check')] },
    ],
    files: {
      ...files,
      '.vscode/tasks.json': '{\n  "tasks": [{ "label": "test", "command": "npm test" }]\n}\n',
    },
    steps: [['check more\r', asked]],
  },
  'mcp-call': {
    ...withServer,
    answers: [
      { calls: [mail('send_mail', { to: 'ada@example.org', text: 'The tests pass.\nShall I release?' })] },
    ],
    steps: [['tell Ada\r', asked]],
  },
  'mcp-form': {
    ...withServer,
    answers: [{ calls: [mail('book_room')] }],
    steps: [
      ['book a room\r', asked],
      ['y', /Which room/],
    ],
  },
  'mcp-address': {
    ...withServer,
    answers: [{ calls: [mail('sign')] }],
    steps: [
      ['sign it\r', asked],
      ['y', /sign\.example/],
    ],
  },
  'mcp-changed': {
    ...changedServer,
    answers: [{ calls: [mail('send_mail', { to: 'ada@example.org', text: 'Hello' })] }],
    steps: [['tell Ada\r', /Start the MCP server/]],
  },
  review: { ...apart, steps: [changedApart, ['/review\r', /Keep what this session changed/]] },
  'review-file': {
    ...apart,
    steps: [changedApart, ['/review\r', /Keep what this session changed/], ['s', /1 of 2/]],
  },
  'review-part': {
    ...apart,
    steps: [
      changedApart,
      ['/review\r', /Keep what this session changed/],
      ['s', /1 of 2/],
      ['p', /part 1 of 2/],
    ],
  },
  race: {
    files,
    args: ['race', 'make the greeting loud', '-n', '2', '--check', 'true', '--approval-mode', 'auto-edit'],
    otherwise: ({ body }) =>
      JSON.stringify(body).includes('edit-1')
        ? { text: 'It is loud now.' }
        : { calls: [{ ...write('src/loud.ts', 'export const loud = true;\n'), id: 'edit-1' }] },
    startsWith: /Which session do you want to keep/,
    steps: [],
  },
  working: {
    answers: [
      first,
      { text: 'Both are read. Now the tests:', calls: [run('echo "12 of 40 tests"; sleep 30')] },
    ],
    files,
    steps: [
      ['test it\r', /12 of 40/],
      ['then the docs\r', /queued: then/],
    ],
  },
  theme: { files, steps: [['/theme\r', /color-blind[\s\S]*world/]] },
  trust: {
    files: {
      ...files,
      '.toolwright/settings.json': '{"tools": {"toolDiscoveryCommand": "./find-tools.sh"}}\n',
    },
    startsWith: asked,
    steps: [],
  },
  import: {
    isFirst: true,
    files,
    home: {
      '.claude/CLAUDE.md': 'Answer in short sentences.\n',
      '.claude/settings.json': '{"permissions": {"deny": ["Read(./.env)"], "allow": ["Bash(npm test)"]}}',
    },
    startsWith: asked,
    steps: [],
  },
};

await drawScenes(dialogs, process.argv.slice(2));
process.exit(0);
