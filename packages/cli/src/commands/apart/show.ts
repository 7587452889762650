import { describeItems } from '../../actions/waiting-changes.js';
import { exitCodes } from '../../base/exit-codes.js';
import { print, printJson, warn } from '../../base/print.js';
import { type Arguments, refuseFurther } from '../../command-line/args.js';
import { idNamed, openFolders, withSaved } from './saved.js';

export async function show([named, ...further]: string[], args: Arguments): Promise<number> {
  refuseFurther(further, 'apart show ID');
  const folders = await openFolders();
  const id = await idNamed(folders, named, 'show');
  return withSaved(folders, id, { args, action: 'show' }, async ({ about, apart, toolbox, signal }) => {
    const { review, refused } = await apart.review(signal);
    const shown = toolbox.host.workspace.show;
    if (args.switches.has('json')) {
      const { session, workspace, prompt, startedAt } = about;
      const { digest, summary, items } = review;
      printJson({ id, session, workspace, prompt, startedAt, digest, summary, changes: items, refused }, 2);
      return exitCodes.done;
    }
    if (review.items.length === 0) print('It changed no files.');
    else {
      print(`${review.summary}:`);
      process.stdout.write(`${describeItems(review, shown)}\n`);
      warn(`To keep all of it: toolwright apart keep ${id}. To drop it: toolwright apart drop ${id}`);
    }
    for (const { path, why } of refused) warn(`Can't be kept: ${shown(path)}: ${why}`);
    return exitCodes.done;
  });
}
