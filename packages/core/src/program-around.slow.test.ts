import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SettingsError } from '@toolwright/machine/base/errors.js';
import { createIds } from '@toolwright/machine/host/node-host.js';
import { createTempWorkspace, type TempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAgent } from './create-agent.js';
import { createToolbox } from './create-toolbox.js';
import { createOfflineModel } from './model/offline/offline.js';
import type { ToolboxOptions } from './options/toolbox-options.js';

let temp: TempWorkspace;
const { signal } = new AbortController();

beforeEach(() => {
  temp = createTempWorkspace({ content: { 'notes.txt': 'alpha\n', 'src/app.ts': 'alpha\n' } });
});
afterEach(() => temp.cleanup());

const open = (options: Partial<ToolboxOptions> = {}) =>
  createToolbox({ workspace: temp.directory, stateFolder: join(temp.outside, 'state'), ...options });

const edit = {
  id: '',
  name: 'edit',
  arguments: { file_path: 'notes.txt', old_string: 'alpha', new_string: 'beta' },
};

describe('a program that hands over options', () => {
  it('hears of a mistake before anything is made', async () => {
    const wrong = { aprovalMode: 'yolo' } as Partial<ToolboxOptions>;
    await expect(open(wrong)).rejects.toThrow(
      new SettingsError('createToolbox: unknown option aprovalMode. Did you mean approvalMode?'),
    );
    expect(existsSync(join(temp.outside, 'state'))).toBe(false);
  });

  it('hears that a rule is not one, with the place it came from', async () => {
    const rules = [{ verdict: 'deny' as const, text: 'Edits(**)', source: 'my program' }];
    await expect(open({ rules })).rejects.toThrow(/^my program: unknown verb Edits .* Did you mean Edit\?/);
  });

  it('hears that a session does not exist, from the toolbox and from the agent', async () => {
    const message = 'There is no session nope in this workspace. toolwright sessions list shows them.';
    await expect(open({ resume: 'nope' })).rejects.toThrow(new SettingsError(message));
    const stateFolder = join(temp.outside, 'state');
    await expect(
      createAgent({ workspace: temp.directory, stateFolder, model: { provider: 'offline' }, resume: 'nope' }),
    ).rejects.toThrow(new SettingsError(message));
  });

  it('goes on with a session of its own', async () => {
    const first = await open({ approvalMode: 'yolo' });
    await first.scheduler.run([edit], signal);
    await first.close();
    const second = await open({ resume: first.session.id });
    expect(second.session.id).toBe(first.session.id);
    await second.close();
  });
});

describe('a program whose confirm fails', () => {
  it('is named as the cause, in the refusal and in the log', async () => {
    const toolbox = await open({
      confirm: async () => {
        throw new Error('the socket is gone');
      },
    });
    const [settled] = await toolbox.scheduler.run([edit], signal);
    expect(settled?.denied).toEqual({ by: 'confirm', reason: 'confirm failed: the socket is gone' });
    expect(settled?.error).toEqual({
      code: 'denied',
      message:
        'Denied: nobody could be asked, as confirm failed: the socket is gone. This is a fault of the program around you, not of the call; tell the user.',
    });
    await toolbox.close();
    expect(readFileSync(toolbox.host.log.path, 'utf8')).toMatch(/confirm failed(.|\n)*the socket is gone/);
    expect(readFileSync(join(temp.directory, 'notes.txt'), 'utf8')).toBe('alpha\n');
  });
});

describe('a closed toolbox', () => {
  it('refuses every call, undo included, and may be closed again', async () => {
    const toolbox = await open({ approvalMode: 'yolo' });
    const [settled] = await toolbox.scheduler.run([edit], signal);
    expect(settled?.error).toBeUndefined();
    await toolbox.close();
    await toolbox.close();
    const closed = 'close() was called: nothing more can be run here. Create another one.';
    await expect(toolbox.scheduler.run([edit], signal)).rejects.toThrow(closed);
    await expect(toolbox.undo({ changes: [] } as never, 'x', signal)).rejects.toThrow(closed);
  });

  it('refuses the prompts of its agent before the model is asked', async () => {
    let requests = 0;
    const offline = createOfflineModel(createIds());
    const agent = await createAgent({
      workspace: temp.directory,
      stateFolder: join(temp.outside, 'state'),
      model: {
        provider: 'mine',
        model: 'counted',
        stream: (...request) => {
          requests += 1;
          return offline.stream(...request);
        },
      },
    });
    await agent.close();
    await expect(agent.prompt('hello')).rejects.toThrow('close() was called');
    expect(requests).toBe(0);
  });
});

describe('a state folder inside the workspace', () => {
  const texts = async (toolbox: Awaited<ReturnType<typeof open>>, calls: [string, object][]) =>
    (
      await toolbox.scheduler.run(
        calls.map(([name, args]) => ({ id: '', name, arguments: { ...args } })),
        signal,
      )
    ).map(({ llmContent }) => JSON.stringify(llmContent));

  it.each(['.state', 'a [b] {c}'])('named %s is neither searched nor listed', async (name) => {
    const stateFolder = join(temp.directory, name);
    const toolbox = await open({ stateFolder, approvalMode: 'yolo' });
    await toolbox.scheduler.run([edit], signal);
    expect(existsSync(join(stateFolder, 'sessions'))).toBe(true);
    const answers = await texts(toolbox, [
      ['grep_search', { pattern: 'alpha' }],
      ['grep_search', { pattern: 'alpha', include_ignored: true }],
      ['glob', { pattern: '**/*', include_ignored: true }],
      ['read_many_files', { paths: ['**/*'] }],
      ['list_directory', { path: '.', include_ignored: true }],
    ]);
    for (const answer of answers) {
      expect(answer).toMatch(/app\.ts|src\//);
      expect(answer).not.toContain(name);
      expect(answer).not.toContain('jsonl');
      expect(answer).not.toMatch(/hidden by rules|ignored/);
    }
    const [asked] = await texts(toolbox, [['list_directory', { path: name }]]);
    expect(asked).toMatch(/it holds settings or sessions of Toolwright, which is always asked about/);
    await toolbox.close();
  });
});
