/**
 * The server that the public conformance suite calls: a toolbox with the tools that its scenarios name, offered by the
 * same code as `toolwright mcp serve --http`. Prints its address; ends with its standard input.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createToolbox, serveMcp } from '@toolwright/core';

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const wav = Buffer.concat([
  Buffer.from('RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0', 'latin1'),
  Buffer.from([0x44, 0xac, 0, 0, 0x88, 0x58, 1, 0, 2, 0, 16, 0]),
  Buffer.from('data\0\0\0\0', 'latin1'),
]).toString('base64');
const json = Buffer.from('{"test":"data","value":123}').toString('base64');
const pause = () => new Promise((resolve) => setTimeout(resolve, 80));

function tool(name, run, more = {}) {
  return {
    name,
    displayName: name,
    description: `What the scenario of ${name} calls.`,
    parameterSchema: { type: 'object', properties: {} },
    validateToolParams: () => null,
    getDescription: () => `Use ${name}`,
    shouldConfirmExecute: async () => false,
    execute: async (...given) => {
      const llmContent = await run(...given);
      return { llmContent, returnDisplay: name };
    },
    effects: () => [],
    ...more,
  };
}

const image = { inlineData: { mimeType: 'image/png', data: png } };
const resource = { inlineData: { mimeType: 'application/json', data: json } };
const failing = 'This tool intentionally returns an error for testing';

const tools = [
  tool('test_simple_text', async () => 'This is a simple text response for testing.'),
  tool('test_image_content', async () => [image]),
  tool('test_audio_content', async () => [{ inlineData: { mimeType: 'audio/wav', data: wav } }]),
  tool('test_embedded_resource', async () => [resource]),
  tool('test_multiple_content_types', async () => ['Multiple content types test:', image, resource]),
  tool('test_error_handling', async () => '', {
    execute: async () => ({
      llmContent: failing,
      returnDisplay: failing,
      error: { code: 'failed', message: failing },
    }),
  }),
  tool('test_tool_with_progress', async (_params, _signal, onUpdate) => {
    for (const part of ['0/100', '50/100', '100/100']) {
      onUpdate?.(`${part}\n`);
      await pause();
    }
    return 'Done.';
  }),
  // Its effects are not known: the person behind the client is asked, as about any such tool.
  tool('test_elicitation', async () => 'The person agreed.', { effects: undefined }),
  tool('json_schema_2020_12_tool', async () => 'Done.', {
    parameterSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: {
        address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } },
      },
      properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
      additionalProperties: false,
    },
  }),
  tool('test_reconnection', async () => 'Done.'),
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
  await serveMcp(toolbox, { over, signal: ended.signal });
} finally {
  await toolbox.close();
  rmSync(base, { recursive: true, force: true });
}
