/** A file of a new tool. */
export interface NewFile {
  /** Relative to the folder of tools. */
  name: string;
  text: string;
  isProgram?: boolean;
}

export function typescriptTool(name: string): NewFile[] {
  return [
    { name: `${name}.ts`, text: typescript.replaceAll('NAME', name) },
    { name: `${name}.test.json`, text: test },
  ];
}

/** The program lies in a folder of its own, where it is not taken for a tool file. */
export function executableTool(name: string): NewFile[] {
  return [
    { name: `${name}.json`, text: manifest.replaceAll('NAME', name) },
    { name: `${name}/main.mjs`, text: program, isProgram: true },
    { name: `${name}.test.json`, text: test },
  ];
}

const typescript = `import { defineTool } from '@toolwright/core/tool';

export default defineTool({
  apiVersion: 1,
  name: 'NAME',
  // For the model: what the tool does, and when to use it.
  description: 'Counts the words of a text.',
  parameters: {
    type: 'object',
    properties: {
      text: { type: 'string', description: 'The text whose words are counted.' },
    },
    required: ['text'],
  },
  // A call reads, writes and reaches nothing. Without this line every call would be asked about.
  effects: () => [],
  run({ text }) {
    const words = text.split(/\\s+/).filter(Boolean).length;
    return \`\${words} words\`;
  },
});
`;

const manifest = `{
  "v": 1,
  "name": "NAME",
  "description": "Counts the words of a text.",
  "parameters": {
    "type": "object",
    "properties": {
      "text": { "type": "string", "description": "The text whose words are counted." }
    },
    "required": ["text"]
  },
  "command": ["node", "./NAME/main.mjs"],
  "timeout": 10000,
  "effects": []
}
`;

const program = `// The arguments come as JSON on standard input; what is printed is the answer. Any language will do.
let input = '';
for await (const chunk of process.stdin) input += chunk;
const { text } = JSON.parse(input);
console.log(\`\${text.split(/\\s+/).filter(Boolean).length} words\`);
`;

const test = `{
  "v": 1,
  "calls": [
    { "args": { "text": "one two  three" }, "output": "3 words" },
    { "args": { "text": "" }, "output": "0 words" },
    { "args": {}, "error": "invalid_params" }
  ]
}
`;
