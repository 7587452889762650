/** Draws menus and lists of the real program at three sizes into docs/pictures: node scripts/typing-pictures.mjs */
import { drawScenes } from './pictures/play.mjs';

const edit = (file, from, to) => ({
  calls: [{ name: 'edit', arguments: { file_path: file, old_string: from, new_string: to } }],
});
const files = {
  'src/app.ts': 'x\n',
  'src/app.test.ts': 'x\n',
  'src/map.ts': 'x\n',
  'README.md': 'x\n',
};
/** Prompts that change files. */
const changed = [
  ['rename x in @src/app.ts\r', /Renamed\./],
  ['and plan the map\r', /Planned/],
];
const answers = [
  edit('src/app.ts', 'x', 'y'),
  { text: 'Renamed.' },
  {
    calls: [
      {
        name: 'write_file',
        arguments: { file_path: 'src/plan.md', content: '# The map\n\nFirst the roads.\n' },
      },
    ],
  },
  { text: 'Planned.' },
];
const common = {
  files,
  answers,
  models: ['claude-sonnet-4-5', 'gpt-5.1', 'gpt-5-mini', 'qwen3-max'],
  args: ['--approval-mode', 'auto-edit'],
};
const typed = (...keys) => ({ ...common, steps: keys.map((key) => [key]) });
const after = (...keys) => ({ ...common, steps: [...changed, ...keys.map((key) => [key])] });

/** Conversations of before, each named by its last prompt. */
const earlier = {
  ...common,
  answers: [],
  async prepare({ run }) {
    for (const prompt of [
      'explain how the map is drawn',
      'why does the test of app fail?',
      'write a changelog',
    ])
      await run('-p', prompt);
  },
};

const scenes = {
  'first-run': { ...common, provider: 'offline', isFirst: true, steps: [] },
  'menu-files': typed('look at @ap'),
  'menu-commands': typed('/co'),
  'history-search': typed('\x12', 'tests'),
  model: typed('/model\r', '\x1b[C'),
  fallback: typed('/model\r', 'fallback\r'),
  mode: typed('/mode\r'),
  resume: { ...earlier, steps: [['/resume\r']] },
  rewind: after('/rewind\r'),
  'rewind-how': after('/rewind\r', '\r'),
  undo: after('/undo\r'),
  context: after('/context\r'),
  connect: typed('/connect\r'),
  'connect-key': typed('/connect\r', 'anthropic\r', 'sk-something'),
  'connect-address': typed('/connect\r', 'another\r', '\r', 'http://10.0.0.7:8000/v1'),
  settings: typed('/settings\r', 'model'),
  'settings-value': typed('/settings ui.theme\r'),
  'settings-text': typed('/settings model.name\r', 'qwen3-max'),
  fact: typed('#the tests run with make\r'),
  help: typed('/help\r', 'undo'),
};

await drawScenes(scenes, process.argv.slice(2));
process.exit(0);
