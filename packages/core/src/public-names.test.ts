import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { expect, it } from 'vitest';
import { createToolbox } from './create-toolbox.js';
import * as core from './index.js';
import * as testing from './testing/index.js';

function typeNames(path: string): string[] {
  const text = readFileSync(new URL(path, import.meta.url), 'utf8');
  const lists = [...text.matchAll(/export (type )?\{([^}]*)\}/g)];
  return lists
    .flatMap(([, isType, names]) => names!.split(',').map((name) => [isType, name.trim()] as const))
    .filter(([isType, name]) => name !== '' && (isType || name.startsWith('type ')))
    .map(([, name]) => name.replace(/^type /, ''))
    .sort();
}

it('the front door exports these names, and each addition is a decision', () => {
  expect({ values: Object.keys(core).sort(), types: typeNames('./index.ts') }).toMatchSnapshot();
  expect({ values: Object.keys(testing).sort(), types: typeNames('./testing/index.ts') }).toMatchSnapshot();
});

it('the front door exports the names that the contract fixes', () => {
  const fixed = [
    'LSTool',
    'ReadFileTool',
    'WriteFileTool',
    'GrepTool',
    'GlobTool',
    'EditTool',
    'ReadManyFilesTool',
    'ShellTool',
  ];
  const more = [
    'WebFetchTool',
    'WebSearchTool',
    'MemoryTool',
    'DiscoveredTool',
    'DiscoveredMCPTool',
    'ToolRegistry',
  ];
  const missing = [...fixed, ...more].filter(
    (name) => typeof (core as Record<string, unknown>)[name] !== 'function',
  );
  expect(missing).toEqual([]);
});

it('the front door writes nothing to the state folder until there is something to keep', async () => {
  const temp = createTempWorkspace({ content: { 'a.txt': 'x' } });
  const toolbox = await createToolbox({
    workspace: temp.directory,
    stateFolder: join(temp.outside, 'state'),
  });
  await toolbox.close();
  expect(readdirSync(temp.outside)).toEqual([]);
  await temp.cleanup();
});
