import type { JsonObject } from '@toolwright/machine/base/json.js';
import { readTools } from '@toolwright/mcp/lists/tool-definitions.js';
import { expect, it } from 'vitest';
import { definitionFindings } from './definition-findings.js';
import type { DoctorFinding } from './examination.js';

function findings(tools: JsonObject[], alias = 'it'): DoctorFinding[] {
  return definitionFindings(alias, readTools(tools).items);
}

const good = {
  name: 'read',
  description: 'Reads one file.',
  inputSchema: { type: 'object', properties: { path: { type: 'string', description: 'A path.' } } },
  annotations: { readOnlyHint: true },
};

it('good definitions give nothing but good news', () => {
  expect(findings([good]).map(({ stage, level, what }) => `${level} ${stage}: ${what}`)).toEqual([
    'ok names: 1 name, fit for every provider',
    'ok schemas: openai: every schema is sent without a loss',
    'ok schemas: anthropic: every schema is sent without a loss',
    'ok schemas: gemini: every schema is sent without a loss',
    'ok cost: 1 tool: 152 bytes of every request, about 38 tokens',
  ]);
});

it.each<[string, JsonObject, string]>([
  [
    'a name with a dot',
    { name: 'files.read' },
    'warning names: 1 name had to be altered: "files.read" becomes it__files_read_',
  ],
  ['a long name', { name: 'x'.repeat(80) }, 'warning names: 1 name had to be altered'],
  ['no description', { description: '' }, 'warning cost: no description: read'],
  [
    'no annotations',
    { annotations: undefined },
    'note cost: no annotations; clients take it for a tool that may destroy something: read',
  ],
  [
    'a format',
    { inputSchema: { type: 'object', properties: { at: { type: 'string', format: 'uri' } } } },
    'note schemas: gemini: format uri is described in text only: read.at',
  ],
  [
    'a recursive schema',
    {
      inputSchema: {
        type: 'object',
        properties: { node: { $ref: '#/$defs/node' } },
        $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
      },
    },
    'note schemas: openai: ',
  ],
])('%s is said', (_name, change, told) => {
  const entry = Object.fromEntries(
    Object.entries({ ...good, ...change }).filter(([, value]) => value !== undefined),
  );
  const lines = findings([entry]).map(({ stage, level, what }) => `${level} ${stage}: ${what}`);
  expect(lines.filter((line) => line.startsWith(told))).toHaveLength(1);
});

it('what is wrong with many tools in the same way is said once, with a few names', () => {
  const many = Array.from({ length: 40 }, (_, index) => ({
    ...good,
    name: `read_${index}`,
    description: 'x'.repeat(1_000),
    inputSchema: { type: 'object', properties: { at: { type: 'string', format: 'uri' } } },
  }));
  const lines = findings(many).map(({ what }) => what);
  expect(lines.filter((line) => line.includes('format uri'))).toEqual([
    'gemini: format uri is described in text only: read_0.at, read_1.at, read_2.at, read_3.at, read_4.at and 35 more',
  ]);
  expect(findings(many).find(({ stage }) => stage === 'cost')).toMatchObject({ level: 'warning' });
});
