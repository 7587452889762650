import { fileURLToPath } from 'node:url';

/** Something that carries a tool: what is written where, and the name to check it by. */
export interface Carrier {
  title: string;
  /** Content by path below the state folder. */
  files: Record<string, string>;
  settings?: object;
  target: string;
  /** The grade it deserves, and what the report says about it. */
  grade: string;
  says: (string | RegExp)[];
}

const parameters = {
  type: 'object',
  properties: { text: { type: 'string', description: 'The text to turn into capitals.' } },
  required: ['text'],
};
const json = (value: unknown): string => JSON.stringify(value, null, 2);
const test = (text: string, output: string): string =>
  json({
    v: 1,
    calls: [
      { args: { text }, output },
      { args: {}, error: 'invalid_params' },
    ],
  });

const toolFile = `import { defineTool } from '@toolwright/core';
export default defineTool<{ text: string }>({
  apiVersion: 1, name: 'capitals', description: 'Writes a text in capitals.',
  parameters: ${JSON.stringify(parameters)},
  effects: () => [],
  run: ({ text }) => text.toUpperCase(),
});
`;

/** Validates nothing, works although it is cancelled, throws, and leaves a timer running. */
const badToolFile = `export default {
  name: 'capitals', displayName: '', description: 'Capitals', parameterSchema: ${JSON.stringify(parameters)},
  validateToolParams: () => null,
  getDescription: () => '',
  shouldConfirmExecute: async () => false,
  async execute({ text }: { text: string }) {
    setInterval(() => undefined, 60_000);
    return { llmContent: text.toLowerCase(), returnDisplay: 'done' };
  },
};
`;

const program = `const { text } = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
console.log(text.toUpperCase());
`;
const manifest = (more: object = {}): string =>
  json({
    v: 1,
    name: 'capitals',
    description: 'Writes a text in capitals.',
    parameters,
    command: ['node', './capitals/main.cjs'],
    effects: [],
    ...more,
  });

const discovery = (parts: object, call: string) => ({
  tools: {
    toolDiscoveryCommand: ['node', '-p', JSON.stringify(json([parts]))],
    toolCallCommand: ['node', '-e', call],
  },
});
const serverFile = fileURLToPath(new URL('graded-server.mjs', import.meta.url));
const server = (...args: string[]) => ({
  mcpServers: { graded: { command: process.execPath, args: [serverFile, ...args] } },
});

/** Faults that show only when it is watched: the line in place of `run`, and the finding. */
const misbehaving: readonly [string, string, string | RegExp][] = [
  ['loses its result', 'run: () => undefined as never,', 'mend (result): The tool capitals gave undefined.'],
  [
    'writes although it declares no effects',
    "run: async (_, { workspace }) => { (await import('node:fs')).writeFileSync(workspace + '/new.txt', 'x'); return 'HO'; },",
    'mend (effects): it changed new.txt, which its effects do not name',
  ],
  [
    'ignores its signal for 3 s',
    "run: () => new Promise((resolve) => setTimeout(() => resolve('HO'), 3_000)),",
    'mend (aborted-work): execute went on for more than 2 s after it was cancelled',
  ],
  [
    'throws when it has returned',
    "run: () => { setTimeout(() => { throw new Error('too late'); }, 10); return 'HO'; },",
    /mend \(stray-error\): it threw when its call had returned \(.*too late/,
  ],
];

export const carriers: readonly Carrier[] = [
  {
    title: 'a good tool file',
    files: { 'tools/capitals.ts': toolFile, 'tools/capitals.test.json': test('ho', 'HO') },
    target: 'capitals',
    grade: 'A',
    says: [/^capitals, from the tool file .*capitals\.ts$/m, /^ {2}ok +the test$/m],
  },
  {
    title: 'a bad tool file',
    files: { 'tools/capitals.ts': badToolFile, 'tools/capitals.test.json': test('ho', 'HO') },
    target: 'capitals',
    grade: 'F',
    says: [
      'mend (test): {"text":"ho"} should answer "HO", but answered "ho".',
      'mend (name): displayName is empty.',
      'mend (validation): the schema refuses params without text, validateToolParams accepts them.',
      'mend (aborted-work): execute succeeds although its signal is aborted already; it must do no work and say so.',
      'improve (leftovers): after execute there are still: Timeout.',
    ],
  },
  ...misbehaving.map(([title, author, says]) => ({
    title: `a tool file that ${title}`,
    files: {
      'tools/capitals.ts': toolFile.replace('run: ({ text }) => text.toUpperCase(),', author),
      'tools/capitals.test.json': json({ v: 1, calls: [{ args: { text: 'ho' } }] }),
    },
    target: 'capitals',
    grade: 'F',
    says: [says],
  })),
  {
    title: 'a tool file that does not load',
    files: { 'tools/capitals.ts': 'export default {{' },
    target: './capitals.ts',
    grade: 'F',
    says: [/mend \(loading\): .*capitals\.ts:1:17: Expected identifier but found "\{"/],
  },
  {
    title: 'a good executable',
    files: {
      'tools/capitals.json': manifest(),
      'tools/capitals/main.cjs': program,
      'tools/capitals.test.json': test('ho', 'HO'),
    },
    target: 'capitals',
    grade: 'A',
    says: [/^capitals, from the tool file .*capitals\.json$/m],
  },
  {
    title: 'a bad executable',
    files: {
      'tools/capitals.json': manifest({ description: 'Caps', timeout: 3_000 }),
      'tools/capitals/main.cjs': 'console.error("cannot read the text"); process.exit(4);',
      'tools/capitals.test.json': test('ho', 'HO'),
    },
    target: 'capitals',
    grade: 'F',
    says: [
      'mend (test): {"text":"ho"} should succeed, but failed with failed: "capitals failed: it ended with status 4.',
      'cannot read the text',
      'improve (description): description is too short for a model to know when to use the tool.',
    ],
  },
  {
    title: 'a good discovered command',
    files: { 'tools/capitals.test.json': test('ho', 'HO') },
    settings: discovery({ name: 'capitals', description: 'Writes a text in capitals.', parameters }, program),
    target: 'capitals',
    grade: 'A',
    says: [/^capitals, from the discovery command node -p /m],
  },
  {
    title: 'a bad discovered command',
    files: { 'tools/capitals.test.json': test('ho', 'HO') },
    settings: discovery(
      { name: 'capitals', parametersJsonSchema: { ...parameters, additionalProperties: false } },
      `console.log(process.argv.at(-1))`,
    ),
    target: 'capitals',
    grade: 'F',
    says: [
      'mend (test): {"text":"ho"} should answer "HO", but answered "capitals".',
      'note (schema-subset): gemini: additionalProperties: false is dropped.',
    ],
  },
  {
    title: 'a good MCP server',
    files: { 'tools/graded__reverse.test.json': test('abc', 'cba') },
    settings: server(),
    target: 'graded',
    grade: 'A',
    says: [/^graded__reverse, from the MCP server graded$/m],
  },
  {
    title: 'a bad MCP server',
    files: { 'tools/graded__pile.test.json': json({ v: 1, calls: [{ args: {}, output: 'a pile' }] }) },
    settings: server('bad'),
    target: 'graded',
    grade: 'F',
    says: [
      'mend (test): {} should answer "a pile"',
      'improve (description): description is too short',
      'improve (schema-description): parameters.size: no description; the model has to guess.',
    ],
  },
];
