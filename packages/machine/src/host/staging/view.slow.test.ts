import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { canStage, processes } from '../../changes/staged-run/fixtures/temp-staged.js';
import { processesNaming } from '../../testing/processes-naming.js';
import { createTempWorkspace } from '../../testing/temp-workspace.js';
import { createFiles } from '../files/create-files.js';
import { createPlace } from '../plain-files/place.js';
import { directoriesOfView } from '../platform/directory-access.js';
import { runOwnProgram } from '../processes/launch/child-process.js';
import { countOverlayWays } from './overlay.js';
import { openView } from './view.js';

const signal = new AbortController().signal;
const canView = await canStage();
if (!canView) console.log('evidence: no overlays here: views were not tried');

async function openTemp(way: number) {
  const temporary = createTempWorkspace();
  temporary.write('a.txt', 'real\n');
  temporary.write('deep/er/b.txt', 'real\n');
  const folder = join(temporary.outside, 'view');
  mkdirSync(folder, { recursive: true });
  const view = await openView({ folder, roots: [temporary.directory], way, processes }, signal);
  const files = createFiles(temporary.workspace, {
    ids: temporary.ids,
    access: directoriesOfView(createPlace(() => view)),
  });
  return { ...temporary, folder, view, inView: files };
}

describe.runIf(canView).each(Array.from({ length: countOverlayWays() }, (_, way) => way))(
  'a view, way %i',
  (way) => {
    it('takes writes, removals and new folders, and the workspace stays as it was', async () => {
      const { view, inView, path, read, cleanup } = await openTemp(way);
      await inView.write(path('a.txt'), Buffer.from('changed\n'), {
        expect: { kind: 'file', hash: (await inView.read(path('a.txt'))).hash },
      });
      await inView.makeDirectory(path('made'));
      await inView.write(path('made/new.txt'), Buffer.from('new\n'), { expect: { kind: 'absent' } });
      await inView.remove(path('deep/er/b.txt'), {
        kind: 'file',
        hash: (await inView.read(path('deep/er/b.txt'))).hash,
      });
      expect(await inView.readText(path('a.txt'))).toBe('changed\n');
      expect(await inView.stat(path('deep/er/b.txt'))).toBeNull();
      expect((await inView.list(path('.'))).map(({ name }) => name)).toEqual(['a.txt', 'deep', 'made']);
      expect([read('a.txt'), read('deep/er/b.txt'), existsSync(path('made'))]).toEqual([
        'real\n',
        'real\n',
        false,
      ]);
      view.close();
      await cleanup();
    });

    it('goes on where it was when its folder is opened again', async () => {
      const { view, inView, path, folder, directory, workspace, ids, cleanup } = await openTemp(way);
      await inView.write(path('new.txt'), Buffer.from('kept\n'), { expect: { kind: 'absent' } });
      view.close();
      const again = await openView({ folder, roots: [directory], way, processes }, signal);
      const files = createFiles(workspace, { ids, access: directoriesOfView(createPlace(() => again)) });
      expect(await files.readText(path('new.txt'))).toBe('kept\n');
      again.close();
      await cleanup();
    });

    it('leaves no process behind, at whatever moment it was given up while it opened', async () => {
      const { view, directory, outside, cleanup } = await openTemp(way);
      view.close();
      const folder = join(outside, 'given-up');
      mkdirSync(folder);
      const openThatEnds = async (afterMs: number): Promise<void> => {
        const given = new AbortController();
        const opening = openView({ folder, roots: [directory], way, processes }, given.signal);
        setTimeout(() => given.abort(), afterMs);
        await opening.then(
          ({ close }) => close(),
          () => undefined,
        );
      };
      for (let moment = 0; moment < 60; moment++) await openThatEnds(moment / 4);
      await expect.poll(() => processesNaming(folder)).toEqual([]);
      await cleanup();
    });

    it('follows links inside the view, absolute ones too, and none that leave it', async () => {
      const { view, inView, path, outside, cleanup } = await openTemp(way);
      writeFileSync(join(outside, 'secret.txt'), 'secret\n');
      symlinkSync(path('new.txt'), path('absolute'));
      symlinkSync(join(outside, 'secret.txt'), path('leaving'));
      await view.refresh(signal);
      await inView.write(path('new.txt'), Buffer.from('in the view\n'), { expect: { kind: 'absent' } });
      expect(await inView.readText(path('absolute'))).toBe('in the view\n');
      await expect(inView.readText(path('leaving'))).rejects.toThrow('outside the folders');
      view.close();
      await cleanup();
    });

    it('shows the roots as they are once it is cleared, also where folders may not be written', async () => {
      const { view, inView, path, folder, cleanup } = await openTemp(way);
      await inView.makeDirectory(path('made'));
      await inView.write(path('deep/er/b.txt'), Buffer.from('changed\n'), {
        expect: { kind: 'file', hash: (await inView.read(path('deep/er/b.txt'))).hash },
      });
      chmodSync(view.at(path('deep')), 0o555);
      await view.clear(signal);
      expect(await inView.readText(path('deep/er/b.txt'))).toBe('real\n');
      expect([await inView.stat(path('made')), readdirSync(join(folder, 'upper-0'))]).toEqual([null, []]);
      await inView.write(path('new.txt'), Buffer.from('after\n'), { expect: { kind: 'absent' } });
      expect(readdirSync(folder).sort()).toEqual(['pid', 'upper-0', 'work-0']);
      view.close();
      await cleanup();
    });

    it('is a place whose links lead where they lead in the view, and programs enter it', async () => {
      const { view, inView, path, directory, outside, cleanup } = await openTemp(way);
      const place = createPlace(() => view);
      await inView.makeDirectory(path('made'));
      await inView.makeSymlink(path('made/relative'), '../deep', { kind: 'absent' });
      await inView.makeSymlink(path('made/absolute'), path('made'), { kind: 'absent' });
      await inView.makeSymlink(path('made/leaving'), outside, { kind: 'absent' });
      await inView.makeSymlink(path('made/circle'), 'circle', { kind: 'absent' });
      expect(place.realPath(directory)).toBe(directory);
      expect(place.realPath(path('made/relative/er/b.txt'))).toBe(path('deep/er/b.txt'));
      expect(place.afterLinks(path('made/absolute/absolute/new'))).toBe(path('made/new'));
      expect(place.realPath(path('made/leaving'))).toBe(outside);
      expect([place.realPath(path('made/circle')), place.realPath(path('made/none'))]).toEqual([null, null]);
      // A link from outside into the view leads to what only the view has; without a link a path stays as it is.
      symlinkSync(path('made'), join(outside, 'into'));
      expect(place.realPath(join(outside, 'into/relative'))).toBe(path('deep'));
      expect(place.realPath(outside)).toBe(outside);
      expect(place.realPath(join(outside, 'none'))).toBe(null);
      expect(readFileSync(place.follow(path('made/absolute/relative/er/b.txt')), 'utf8')).toBe('real\n');
      const { program, args } = place.enter({
        program: '/bin/sh',
        args: ['-c', 'ls; pwd; id -u'],
        directory: path('made'),
        environment: {},
      });
      const { stdout } = await runOwnProgram(program, args, { deadlineMs: 20_000 });
      expect(stdout.split('\n')).toEqual([
        ...['absolute', 'circle', 'leaving', 'relative', path('made')],
        ...[`${process.getuid?.()}`, ''],
      ]);
      view.close();
      await cleanup();
    });

    it('shows what others did meanwhile once it is refreshed', async () => {
      const { view, inView, path, cleanup } = await openTemp(way);
      expect(await inView.readText(path('a.txt'))).toBe('real\n');
      writeFileSync(path('.other'), 'by others\n');
      renameSync(path('.other'), path('a.txt'));
      await view.refresh(signal);
      expect(await inView.readText(path('a.txt'))).toBe('by others\n');
      expect(readFileSync(view.at(path('a.txt')), 'utf8')).toBe('by others\n');
      view.close();
      await cleanup();
    });
  },
);
