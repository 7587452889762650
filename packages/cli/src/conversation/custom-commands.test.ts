// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders of skills are written so.
import { join } from 'node:path';
import { createToolbox } from '@toolwright/core';
import { createTempWorkspace } from '@toolwright/core/testing';
import { expect, it, vi } from 'vitest';
import { customNames, expandCustom } from './custom-commands.js';

it('skills are called and offered by their names beside custom commands, those for the user alone too', async () => {
  const temp = createTempWorkspace({
    content: {
      'skills/csv/SKILL.md':
        '---\ndescription: Tables.\ndisable-model-invocation: true\n---\nRun ${CLAUDE_SKILL_DIR}/run.sh on $ARGUMENTS.\n',
      'skills/broken/SKILL.md': '---\nname: other\n---\n',
      'skills/look/SKILL.md': '---\ndescription: A skill.\n---\nx\n',
      'commands/look.md': 'Look.',
    },
  });
  const folder = (kind: string) => [{ path: join(temp.directory, kind), shown: kind }];
  const toolbox = await createToolbox({
    workspace: temp.directory,
    stateFolder: join(temp.outside, 'state'),
    pieces: { skills: folder('skills'), commands: folder('commands') },
  });
  const { signal } = new AbortController();
  const expand = (text: string) => expandCustom(text, [], { toolbox, signal });
  const skills = join(temp.directory, 'skills');
  expect(await expand('/csv $& a.csv')).toEqual({
    parts: [
      {
        text: `Follow the skill csv. Its files are in ${skills}/csv.\n\nRun ${skills}/csv/run.sh on $& a.csv.`,
      },
    ],
    notes: [],
  });
  expect(await expand('/broken')).toEqual({
    problem: expect.stringMatching(/SKILL\.md:2: the name "other" differs .*\. \/broken is off\.$/),
  });
  const names = customNames(toolbox, []);
  await vi.waitFor(() =>
    expect(names().map(({ name, help }) => `${name}: ${help}`)).toEqual(['look: Look.', 'csv: Tables.']),
  );
  await toolbox.close();
  await temp.cleanup();
});
