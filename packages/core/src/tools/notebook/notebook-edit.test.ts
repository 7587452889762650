import { join } from 'node:path';
import { createTempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { expect, it } from 'vitest';
import { createToolbox } from '../../create-toolbox.js';

const { signal } = new AbortController();
const notebook =
  '{\n "cells": [\n  {\n   "cell_type": "code",\n   "execution_count": 1,\n   "metadata": {},\n   "outputs": [],\n   "source": [\n    "a = 1"\n   ]\n  }\n ],\n "metadata": {},\n "nbformat": 4,\n "nbformat_minor": 4\n}\n';

it('notebook_edit comes with the first notebook, wants it read, changes one cell after a question, and is undone like any change', async () => {
  const temp = createTempWorkspace({ content: { 'a.ipynb': notebook, 'b.ipynb': notebook, 'c.txt': 'x' } });
  const asked: string[] = [];
  const toolbox = await createToolbox({
    workspace: temp.directory,
    stateFolder: join(temp.outside, 'state'),
    forModel: true,
    async confirm({ details }) {
      asked.push(details.title ?? '');
      return { kind: 'once' };
    },
  });
  const call = async (name: string, args: object): Promise<string> => {
    const [done] = await toolbox.scheduler.run([{ id: '1', name, arguments: { ...args } }], signal);
    const { output, error } = done!.response.response as Record<string, string>;
    return String(output ?? error);
  };
  try {
    await call('read_file', { absolute_path: temp.path('c.txt') });
    expect(toolbox.registry.getTool('notebook_edit')).toBeUndefined();
    await call('read_file', { absolute_path: temp.path('a.ipynb') });
    const replace = { action: 'replace', cell: 1, source: 'a = 2' };
    expect(await call('notebook_edit', { file_path: 'b.ipynb', ...replace })).toContain('has not been read');
    expect(await call('notebook_edit', { file_path: 'a.ipynb', ...replace })).toBe(
      'Replaced the source of cell 1 in a.ipynb (1 line) and removed its outputs.',
    );
    expect(temp.read('a.ipynb')).toBe(
      notebook.replace('a = 1', 'a = 2').replace('"execution_count": 1', '"execution_count": null'),
    );
    expect(
      await call('notebook_edit', {
        file_path: 'a.ipynb',
        action: 'insert',
        cell: 2,
        source: '# End',
        cell_type: 'markdown',
      }),
    ).toBe('Inserted cell 2 (1 line) in a.ipynb; later cells are numbered one higher now.');
    expect(await call('notebook_edit', { file_path: 'a.ipynb', action: 'delete', cell: 1 })).toBe(
      'Deleted cell 1 of a.ipynb; later cells are numbered one lower now.',
    );
    expect(await call('notebook_edit', { file_path: 'a.ipynb', action: 'insert', cell: 1 })).toContain(
      'source is missing',
    );
    expect(asked).toEqual([
      'Replace cell 1 of a.ipynb',
      'Insert cell 2 of a.ipynb',
      'Delete cell 1 of a.ipynb',
    ]);
    expect(JSON.parse(temp.read('a.ipynb')).cells).toHaveLength(1);
  } finally {
    await toolbox.close();
    await temp.cleanup();
  }
});
