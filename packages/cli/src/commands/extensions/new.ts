import { isSkillName } from '@toolwright/core/front-end';
import { UsageError } from '../../base/exit-codes.js';
import { print } from '../../base/print.js';
import type { Arguments } from '../../command-line/args.js';
import { loadSetup } from '../../setup/runtime.js';
import { type NewFile, writeNewFiles } from '../new-files.js';
import { printReports, worstExitCode } from '../tools/report.js';
import { executableTool } from '../tools/sample-tool.js';
import { reportsAbout } from './check.js';

/** Writes an extension that works, in a folder of its name, and grades it. */
export async function newExtension(name: string, args: Arguments): Promise<number> {
  if (!isSkillName(name))
    throw new UsageError(
      'extensions new needs a name of at most 64 lower-case letters, digits and single hyphens: toolwright extensions new release-kit',
    );
  const setup = await loadSetup(args);
  const tool = `${name.replaceAll('-', '_')}_words`;
  const root = await writeNewFiles(setup, {
    front: 'extensions new',
    files: [
      ...files.map((file) => ({
        ...file,
        name: file.name.replaceAll('NAME', name),
        text: file.text.replaceAll('NAME', name),
      })),
      ...executableTool(tool).map((file) => ({ ...file, name: `tools/${file.name}` })),
    ],
    isOfUser: false,
    inside: name,
  });
  const reports = await reportsAbout(root, { ...args, switches: new Set([...args.switches, 'run']) });
  printReports(reports, 'parts');
  print(`
Next:
  toolwright extensions check ./${name} --run   after every change
  toolwright extensions install ./${name}       try it yourself`);
  return worstExitCode(reports);
}

const files: readonly NewFile[] = [
  {
    name: 'plugin.json',
    text: `{
  "$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json",
  "name": "NAME",
  "version": "0.1.0",
  "description": "Says in one sentence what this extension is for."
}
`,
  },
  {
    name: 'skills/NAME/SKILL.md',
    text: `---
name: NAME
description: Says in one or two sentences what this skill does, and when to use it. Name the words that a user would say.
---

# What to do

1. Say step by step what is to be done, as to a colleague on the first day.
2. Files of the extension are in \${PLUGIN_ROOT}.
3. Say how to tell that the work is right.
`,
  },
  {
    name: 'commands/NAME.md',
    text: `---
description: Looks at what changed and says what it means.
argument-hint: what to look at
---
Look at $ARGUMENTS. These files changed:

!\`git status --short\`
`,
  },
  {
    name: 'hooks/hooks.json',
    text: `{
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "Write|Edit",
        "hooks": [{ "type": "command", "command": "\${PLUGIN_ROOT}/hooks/no-generated.sh", "timeout": 5 }]
      }
    ]
  }
}
`,
  },
  {
    name: 'hooks/no-generated.sh',
    isProgram: true,
    text: `#!/bin/sh
# The call comes as JSON on standard input. Exit code 2 refuses it, and standard error says why.
if grep -q '"file_path": *"[^"]*\\.generated\\.'; then
  echo 'Generated files are made by the build; change what they are made of.' >&2
  exit 2
fi
`,
  },
];
