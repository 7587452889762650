/** Projects of people who install the packages: each is compiled or bundled the way its owner does it, then run. */
export interface InstalledProject {
  name: string;
  files: Record<string, string>;
  /** Checked with `tsc -p .` where the project is written in TypeScript. */
  compilerOptions?: Record<string, unknown>;
  /** Bundled into this file first, with the packages inside. */
  bundle?: { entry: string; format: 'esm' | 'cjs' };
  /** The file that node runs. */
  start: string;
}

const strict = {
  strict: true,
  exactOptionalPropertyTypes: true,
  target: 'es2022',
  lib: ['es2023'],
  types: ['node'],
  outDir: 'out',
};

/** A tool of its own and a built-in one, called through the toolbox. */
const body = `
const shout = defineTool({
  apiVersion: 1,
  name: 'shout',
  description: 'Repeats a text in capitals.',
  parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  effects: () => [],
  run: async ({ text }) => String(text).toUpperCase(),
});
const toolbox = await createToolbox({ workspace: '.', stateFolder: process.env['STATE'] ?? './state', tools: [shout] });
const results = await toolbox.scheduler.run(
  [
    { id: '1', name: 'shout', arguments: { text: 'hello' } },
    { id: '2', name: 'list_directory', arguments: { path: '.' } },
    { id: '3', name: 'run_shell_command', arguments: { command: 'echo from the shell' } },
  ],
  new AbortController().signal,
);
console.log(results.map(({ llmContent }) => JSON.stringify(llmContent).slice(0, 60)).join('\\n'));
await toolbox.close();
`;

const imports = `import { createToolbox, defineTool } from '@toolwright/core';\n`;

export const projects: readonly InstalledProject[] = [
  {
    name: 'TypeScript, nodenext',
    files: { 'main.ts': imports + body, 'package.json': '{ "type": "module" }' },
    compilerOptions: { ...strict, module: 'nodenext' },
    start: 'out/main.js',
  },
  {
    name: 'TypeScript, nodenext, .cts that imports at run time',
    files: {
      'main.cts': `async function main() {
  const { createToolbox, defineTool } = await import('@toolwright/core');
  ${body}
}
main();
`,
      'package.json': '{ "type": "commonjs" }',
    },
    compilerOptions: { ...strict, module: 'nodenext' },
    start: 'out/main.cjs',
  },
  {
    name: 'TypeScript, bundler',
    files: { 'main.ts': imports + body, 'package.json': '{ "type": "module" }' },
    compilerOptions: { ...strict, module: 'esnext', moduleResolution: 'bundler', noEmit: true },
    bundle: { entry: 'main.ts', format: 'esm' },
    start: 'bundle.mjs',
  },
  {
    name: 'JavaScript, ES modules',
    files: { 'main.mjs': imports + body },
    start: 'main.mjs',
  },
  {
    name: 'JavaScript, CommonJS that imports at run time',
    files: {
      'main.cjs': `(async () => {
  const { createToolbox, defineTool } = await import('@toolwright/core');
  ${body}
})();
`,
    },
    start: 'main.cjs',
  },
  {
    name: 'JavaScript, CommonJS that requires',
    files: {
      'main.cjs': `const { createToolbox, defineTool } = require('@toolwright/core');
(async () => {
  ${body}
})();
`,
    },
    start: 'main.cjs',
  },
  {
    name: 'TypeScript, nodenext, .cts that requires',
    files: {
      'main.cts': `import { createToolbox, defineTool } from '@toolwright/core';
async function main() {
  ${body}
}
main();
`,
      'package.json': '{ "type": "commonjs" }',
    },
    compilerOptions: { ...strict, module: 'nodenext' },
    start: 'out/main.cjs',
  },
];
