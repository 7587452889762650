import type { SettledCall } from '@toolwright/core';
import { type ReportItem, textItem } from '../../actions/report.js';
import { say } from '../say.js';
import type { SlashContext } from '../slash-context.js';

const FILE = 'toolwright-tour.txt';

/** `/tour`: three things that happen every day, on a file of its own that is gone afterwards. */
export async function tour(context: SlashContext): Promise<ReportItem[]> {
  const { agent, front, signal } = context;
  const { files, workspace } = agent.host;
  if (await files.stat(workspace.resolve(FILE)))
    return [textItem(`${FILE} already exists, and the tour needs that name. Move it away first.`, 'warning')];
  const call = async (name: string, args: Record<string, unknown>): Promise<SettledCall> => {
    const [settled] = await agent.scheduler.run([{ id: '', name, arguments: args }], signal, {
      unheard: true,
    });
    signal.throwIfAborted();
    return settled as SettledCall;
  };
  say(
    front,
    `1 of 3: a model wants to write a file. You see the change before it happens; y allows it.`,
    'good',
  );
  const written = await call('write_file', {
    file_path: `${workspace.directory}/${FILE}`,
    content: 'one\ntwo\nthree\n',
  });
  if (written.error)
    return [textItem('You said no, and nothing was written: that is the whole idea. /tour begins again.')];
  say(
    front,
    '2 of 3: a command runs on a copy. What it changed is shown, and kept only if you say so.',
    'good',
  );
  await call('run_shell_command', { command: `sed -i.bak s/two/TWO/ ${FILE} && rm ${FILE}.bak` });
  say(
    front,
    '3 of 3: everything can be undone. The changes of this tour are taken back, the latest first.',
    'good',
  );
  const { undo } = await import('../../actions/undo.js');
  const report: ReportItem[] = [];
  for (let time = 0; time < 2 && (await files.stat(workspace.resolve(FILE))); time++)
    report.push(...(await undo(agent, '', { prefix: '/', signal })).report);
  return [
    ...report,
    textItem(
      'That was the tour. /undo shows earlier changes, /mode what is asked about, /help the rest.',
      'good',
    ),
  ];
}
