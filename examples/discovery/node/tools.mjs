#!/usr/bin/env node
// `tools.mjs list` prints the tools as JSON; `tools.mjs call NAME` runs one, with its arguments as JSON on standard input.
import { readFileSync } from 'node:fs';

const tools = {
  word_frequency: {
    description: 'Lists the most frequent words of a text file in the workspace.',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'The file, relative to the workspace.' },
        limit: { type: 'integer', minimum: 1, maximum: 100, description: 'How many words; 5 unless told.' },
      },
      required: ['path'],
    },
    run({ path, limit = 5 }) {
      const counts = new Map();
      for (const word of readFileSync(path, 'utf8')
        .toLowerCase()
        .match(/\p{L}+/gu) ?? [])
        counts.set(word, (counts.get(word) ?? 0) + 1);
      const rows = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).slice(0, limit);
      return rows.map(([word, count]) => `${count} ${word}`).join('\n');
    },
  },
  traffic_light: {
    description: 'Draws a traffic light as a picture.',
    parameters: {
      type: 'object',
      properties: { color: { type: 'string', enum: ['red', 'green'], description: 'Which light is on.' } },
      required: ['color'],
    },
    // A result with parts: text and a picture for the model, Markdown for the person.
    run({ color }) {
      const lamp = (y, on) => `<circle cx="12" cy="${y}" r="8" fill="${on ? color : 'black'}"/>`;
      const lamps = lamp(12, color === 'red') + lamp(32, color === 'green');
      const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="24" height="44">${lamps}</svg>`;
      const data = Buffer.from(svg).toString('base64');
      return JSON.stringify({
        llmContent: [
          { text: `A traffic light, ${color}:` },
          { inlineData: { mimeType: 'image/svg+xml', data } },
        ],
        returnDisplay: `A **${color}** traffic light`,
      });
    },
  },
};

const [action, name = ''] = process.argv.slice(2);
try {
  if (action === 'list') {
    const declarations = Object.entries(tools).map(([name, { description, parameters }]) => ({
      name,
      description,
      parameters,
    }));
    console.log(JSON.stringify({ functionDeclarations: declarations }));
  } else if (action === 'call' && Object.hasOwn(tools, name)) {
    console.log(tools[name].run(JSON.parse(readFileSync(0, 'utf8'))));
  } else {
    throw new Error(`There is no ${action === 'call' ? `tool ${name}` : `action ${action}`}.`);
  }
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
