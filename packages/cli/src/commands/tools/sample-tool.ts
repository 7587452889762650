import type { NewFile } from '../new-files.js';

/** A tool that is a program of any language, with its test. The program lies in a folder of its own, where it is not taken for a tool file. */
export function executableTool(name: string): NewFile[] {
  return [
    { name: `${name}.json`, text: manifest.replaceAll('NAME', name) },
    { name: `${name}/main.mjs`, text: program, isProgram: true },
    toolTest(name),
  ];
}

/** The calls that say what a new tool answers. */
export function toolTest(name: string): NewFile {
  return { name: `${name}.test.json`, text: test };
}

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
const words = text.split(/\\s+/).filter(Boolean).length;
console.log(words === 1 ? '1 word' : \`\${words} words\`);
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
