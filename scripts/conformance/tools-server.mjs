/**
 * The server that the public conformance suite calls: a toolbox with the tools, resources and prompts that its scenarios
 * name, offered by the same code as `toolwright mcp serve --http`. Prints its address; ends with its standard input.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createToolbox, serveMcp } from '@toolwright/core';
import { askingTools } from './asking-tools.mjs';
import { prompts, promptsChanged, resources } from './offers.mjs';
import { pause, png, tool } from './test-tool.mjs';

const wav = Buffer.concat([
  Buffer.from('RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0', 'latin1'),
  Buffer.from([0x44, 0xac, 0, 0, 0x88, 0x58, 1, 0, 2, 0, 16, 0]),
  Buffer.from('data\0\0\0\0', 'latin1'),
]).toString('base64');
const json = Buffer.from('{"test":"data","value":123}').toString('base64');
const image = { inlineData: { mimeType: 'image/png', data: png } };
const resource = { inlineData: { mimeType: 'application/json', data: json } };
const string = { type: 'string' };

/** Fails as a tool does, after a while. */
const failing = (message, ms) => ({
  async execute() {
    await pause(ms);
    return { llmContent: message, returnDisplay: message, error: { code: 'failed', message } };
  },
});

/** Says these one after the other while it runs. */
const saying =
  (...words) =>
  async ({ onUpdate }) => {
    for (const word of words) {
      onUpdate?.(`${word}\n`);
      await pause();
    }
    return 'Done.';
  };

const steps = saying('Tool execution started', 'Tool processing data', 'Tool execution completed');

const tools = [
  tool('test_simple_text', async () => 'This is a simple text response for testing.'),
  tool('test_image_content', async () => [image]),
  tool('test_audio_content', async () => [{ inlineData: { mimeType: 'audio/wav', data: wav } }]),
  tool('test_embedded_resource', async () => [resource]),
  tool('test_multiple_content_types', async () => ['Multiple content types test:', image, resource]),
  tool(
    'test_error_handling',
    async () => '',
    failing('This tool intentionally returns an error for testing', 0),
  ),
  tool('test_tool_with_progress', saying('0/100', '50/100', '100/100')),
  tool('test_tool_with_logging', steps),
  tool('test_logging_tool', steps),
  // Its effects are not known: the person behind the client is asked, as about any such tool.
  tool('test_elicitation', async () => 'The person agreed.', { effects: undefined }),
  tool('json_schema_2020_12_tool', async () => 'Done.', {
    parameterSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: {
        address: {
          $anchor: 'addressDef',
          type: 'object',
          properties: { street: string, city: string },
        },
      },
      properties: {
        name: string,
        address: { $ref: '#/$defs/address' },
        contactMethod: { type: 'string', enum: ['phone', 'email'] },
        phone: string,
        email: string,
      },
      allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
      if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
      // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
      then: { required: ['phone'] },
      else: { required: ['email'] },
      additionalProperties: false,
    },
  }),
  tool('test_reconnection', async () => 'Done.'),
  tool('test_headers', async ({ params }) => `In ${params.region}.`, {
    parameterSchema: {
      type: 'object',
      properties: { region: { ...string, 'x-mcp-header': 'Region' }, query: string },
      required: ['region'],
    },
  }),
  tool('test_trigger_tool_change', async () => {
    const added = tool(`added_${Date.now()}`, async () => 'Done.');
    toolbox.registry.registerTool(added, { kind: 'library' });
    return 'Done.';
  }),
  tool('test_trigger_prompt_change', async () => {
    promptsChanged();
    return 'Done.';
  }),
  tool('greet', async ({ params }) => `Hello, ${params.name}!`, {
    parameterSchema: { type: 'object', properties: { name: string } },
  }),
  tool(
    'slow_compute',
    async ({ params, signal }) => {
      for (let waited = 0; waited < params.seconds * 1_000 && !signal.aborted; waited += 50) await pause(50);
      return `Computed for ${params.seconds} s.`;
    },
    { parameterSchema: { type: 'object', properties: { seconds: { type: 'number' }, label: string } } },
  ),
  tool('failing_job', async () => '', failing('The job failed.', 1_000)),
  ...askingTools,
];

const base = mkdtempSync(join(tmpdir(), 'toolwright-conformance-'));
const ended = new AbortController();
process.stdin.on('end', () => ended.abort()).resume();
const toolbox = await createToolbox({
  workspace: base,
  stateFolder: join(base, '.state'),
  tools,
  front: 'conformance',
});
try {
  const onListening = (url) => process.stdout.write(`${url}\n`);
  const over = { kind: 'http', port: 0, token: process.env['CONFORMANCE_TOKEN'] ?? '', onListening };
  await serveMcp(toolbox, { over, signal: ended.signal, resources, prompts, taskAfterMs: 300 });
} finally {
  await toolbox.close();
  rmSync(base, { recursive: true, force: true });
}
