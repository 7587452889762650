import { isToolError } from '@toolwright/core';
import { createWorkspace, messageOf } from '@toolwright/core/front-end';
import { type ReportItem, textItem } from '../../actions/report.js';
import type { SlashContext } from '../slash-context.js';

const TASK = `Look through this folder and write AGENTS.md, the notes that agents read first when they work here (improve it where it is there already).
Keep it under 60 lines: what the project is; the commands to build, test, lint and run one test; how the code is laid out; conventions that are not obvious; what must be left alone. Only what you have seen in the files, nothing that is true of every project.`;

/** `/init`: the model writes the notes; without one, a form to fill in. */
export async function init({ agent, prompt }: SlashContext): Promise<ReportItem[]> {
  if (agent.model.provider !== 'offline') {
    await prompt(TASK);
    return [];
  }
  const { projectFiles } = await import('../../actions/project-files.js');
  const { files, workspace } = agent.host;
  const lines: string[] = [];
  for (const [name, text] of projectFiles) {
    try {
      await files.makeDirectory(workspace.resolve(`${name}/..`));
      await files.write(workspace.resolve(name), Buffer.from(text), { expect: { kind: 'absent' } });
      lines.push(`made       ${name}`);
    } catch (error) {
      if (!isToolError(error) || error.code !== 'conflict') throw error;
      lines.push(`left as is ${name} (it already exists)`);
    }
  }
  return [
    textItem(
      `${lines.join('\n')}\nWith a model (/connect) /init has it look around and write AGENTS.md.`,
      'good',
    ),
  ];
}

/** `/doctor`: the examinations of `toolwright doctor`. */
export async function doctor({ args, setup, front, signal }: SlashContext): Promise<ReportItem[]> {
  const { examinations } = await import('../../actions/examinations.js');
  const { say } = await import('../say.js');
  for (const examine of examinations) {
    signal.throwIfAborted();
    // Lines are shown as they are found: some take seconds.
    for (const { state, what, detail } of await examine({ args, setup }))
      say(front, `${state.padEnd(7)} ${what}: ${detail}`, state === 'broken' ? 'bad' : 'plain');
  }
  return [];
}

/** `/add-dir FOLDER`: the file tools may work there too, from now on. */
export async function addDirectory(
  { agent, args, reopen, setup }: SlashContext,
  rest: string,
): Promise<ReportItem[]> {
  const { homedir } = await import('node:os');
  const { join, resolve } = await import('node:path');
  if (rest === '') return [textItem('Which folder? /add-dir FOLDER', 'warning')];
  const given = rest.replace(/^(["'])(.*)\1$/, '$2');
  const path =
    given === '~' || given.startsWith('~/')
      ? join(homedir(), given.slice(1))
      : resolve(setup.workspace, given);
  try {
    const { directory } = createWorkspace({ directory: path });
    if (agent.host.workspace.rootOf(directory))
      return [textItem(`The file tools can already work in ${directory}.`)];
    const known = args.lists.get('include-directories') ?? [];
    const lists = new Map(args.lists).set('include-directories', [...known, directory]);
    reopen({ session: 'same', args: { ...args, lists } });
    return [
      textItem(
        `The file tools may work in ${directory} too, in this conversation. The setting includeDirectories keeps it.`,
        'good',
      ),
    ];
  } catch (error) {
    return [textItem(messageOf(error), 'warning')];
  }
}
