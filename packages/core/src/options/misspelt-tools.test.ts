import { createTempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { expect, it } from 'vitest';
import { createToolbox } from '../create-toolbox.js';

it('the check of tool names tells of rules and exclusions that almost name a tool, and of no others', async () => {
  await using folder = createTempWorkspace({ content: {} });
  const toolbox = await createToolbox({
    workspace: folder.directory,
    stateFolder: `${folder.directory}-state`,
    rules: [
      { verdict: 'deny', text: 'wriet_file', source: 'my program' },
      { verdict: 'deny', text: 'write_file', source: 'my program' },
      { verdict: 'deny', text: 'mail__send', source: 'my program' },
      { verdict: 'deny', text: 'Edit(src/**)', source: 'my program' },
    ],
    excludeTools: ['readfile', 'glob', 'web_search', 'calendar'],
  });
  await toolbox.close();
  expect(toolbox.notices).toEqual([
    'my program: the rule names the tool "wriet_file", but there is no tool of that name. Did you mean write_file?',
    'The tool "readfile" is to be left out, but there is no tool of that name. Did you mean read_file?',
  ]);
});
