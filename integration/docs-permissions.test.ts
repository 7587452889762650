import type { Effect } from '@toolwright/core';
import { approvalModes, createToolbox } from '@toolwright/core';
import { afterAll, expect, it } from 'vitest';
import { readDocument, tableWith } from './documents/blocks.js';
import { createMachine } from './program.js';

const machine = createMachine();
afterAll(() => machine.cleanup());

const command: Effect & { kind: 'execute' } = {
  kind: 'execute',
  command: 'make',
  directory: machine.workspace,
  readOnly: false,
  network: false,
  background: false,
  commands: [['make']],
};
const memory = (scope: 'project' | 'global'): Effect => ({
  kind: 'memory',
  scope,
  path: `${machine.home}/x`,
});

/** The effects of each row of the table. */
const rows: [string, ...(Effect | 'unknown')[]][] = [
  [
    'reading in the workspace, commands that only read',
    { kind: 'read', path: `${machine.workspace}/a` },
    { ...command, readOnly: true },
  ],
  ['reading secret places', { kind: 'read', path: `${machine.workspace}/.aws/credentials` }],
  [
    'changing files in the workspace',
    { kind: 'write', path: `${machine.workspace}/a` },
    { kind: 'delete', path: `${machine.workspace}/a` },
  ],
  ['remembering a fact for this project', memory('project')],
  ['remembering a fact for every project', memory('global')],
  ['protected files', { kind: 'write', path: `${machine.workspace}/.git/config` }],
  ['other commands', command],
  [
    'commands with network or in the background',
    { ...command, network: true },
    { ...command, background: true },
  ],
  ['other commands where there is no sandbox', { ...command, unconfined: 'missing' }],
  [
    'what a command reaches beyond the sandbox',
    { kind: 'outside', access: 'read', path: '/srv/a' },
    { kind: 'outside', access: 'ssh-agent' },
  ],
  ['fetching from a public host', { kind: 'network', host: 'example.com', port: 443, url: '' }],
  [
    'MCP tools and tools that do not say what they do',
    { kind: 'mcp', server: 'files', tool: 'read' },
    'unknown',
  ],
];

it('the table of modes in docs/permissions.md says what is decided', async () => {
  const decided: string[][] = [['effect', ...approvalModes]];
  for (const [name, ...effects] of rows) {
    const verdicts: string[] = [];
    for (const approvalMode of approvalModes) {
      const toolbox = await createToolbox({
        workspace: machine.workspace,
        stateFolder: machine.state,
        approvalMode,
        // Secret places are those of a home.
        environment: { ...process.env, HOME: machine.workspace },
        onlyLooks: true,
      });
      const found = effects.map((effect) =>
        toolbox.permission.decide({ tool: 't', effects: effect === 'unknown' ? undefined : [effect] }),
      );
      await toolbox.close();
      verdicts.push([...new Set(found.map(({ decision }) => decision))].join(' or '));
    }
    decided.push([name, ...verdicts]);
  }
  expect(tableWith(readDocument('permissions.md'), 'auto-edit')).toEqual(decided);
});
