import { type Arguments, refuseFurther } from '../../command-line/args.js';
import { idNamed, openFolders, requireSameFolder } from './saved.js';

/** Goes on with the conversation, which goes on apart. */
export async function open([named, ...further]: string[], args: Arguments): Promise<number> {
  refuseFurther(further, 'apart open ID');
  const folders = await openFolders();
  const id = await idNamed(folders, named, 'open');
  const about = await folders.about(id);
  requireSameFolder(about, args, 'open');
  const { session, workspace, roots } = about;
  const others = roots.filter((root) => root !== workspace);
  const { run } = await import('../prompt/run-once.js');
  return run([
    ...['--resume', session, '--workspace', workspace],
    ...others.flatMap((root) => ['--include-directories', root]),
    ...(args.switches.has('trust') ? ['--trust'] : []),
  ]);
}
