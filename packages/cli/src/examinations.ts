import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createToolbox, messageOf, type SettledCall } from '@toolwright/core';
import type { Arguments } from './args.js';
import { loadSetup, type Setup } from './runtime.js';

/** One promise and whether it holds here. */
export interface Examined {
  /** `note`: not needed, but good to know. */
  state: 'ok' | 'note' | 'broken';
  what: string;
  detail: string;
}

type Examination = (args: Arguments) => Promise<Examined[]>;

/** In the order they are printed. */
export const examinations: readonly Examination[] = [examineNode, examineSettings, examineTools];

async function examineNode(): Promise<Examined[]> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isSupported = major > 20 || (major === 20 && minor >= 19);
  return [
    {
      state: isSupported ? 'ok' : 'broken',
      what: 'Node',
      detail: isSupported
        ? `${process.version} on ${process.platform} ${process.arch}`
        : `${process.version} is too old; install Node 20.19 or newer`,
    },
  ];
}

async function examineSettings(args: Arguments): Promise<Examined[]> {
  let setup: Setup;
  try {
    setup = await loadSetup(args);
  } catch (error) {
    return [{ state: 'broken', what: 'Settings', detail: messageOf(error) }];
  }
  const { settings, files } = setup.loaded;
  const read = files.filter(({ state }) => state === 'read').map(({ path }) => path);
  const untrusted = files.filter(({ state }) => state === 'not trusted').map(({ path }) => path);
  const { provider, name } = settings.model;
  return [
    {
      state: 'ok',
      what: 'Settings',
      detail: read.length > 0 ? `read from ${read.join(', ')}` : 'no settings files; the defaults hold',
    },
    ...untrusted.map(
      (path): Examined => ({
        state: 'note',
        what: 'Trust',
        detail: `${path} is not read: this folder is not trusted (toolwright trust)`,
      }),
    ),
    { state: 'ok', what: 'Approval mode', detail: settings.approvalMode },
    provider && provider !== 'offline'
      ? { state: 'ok', what: 'Model', detail: `${provider}${name ? `, ${name}` : ''}` }
      : {
          state: 'note',
          what: 'Model',
          detail:
            'none configured: the built-in offline model answers. Set OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY or DASHSCOPE_API_KEY (docs/models.md)',
        },
    settings.web.search.provider
      ? { state: 'ok', what: 'Web search', detail: settings.web.search.provider }
      : {
          state: 'note',
          what: 'Web search',
          detail: 'not offered: set web.search.provider in the settings (docs/web.md)',
        },
  ];
}

/** Real calls in a folder made for it, so that what is reported is what was seen. */
async function examineTools(): Promise<Examined[]> {
  const folder = await mkdtemp(join(tmpdir(), 'toolwright-doctor-'));
  try {
    await writeFile(join(folder, 'a.txt'), 'needle\n');
    const toolbox = await createToolbox({
      workspace: folder,
      approvalMode: 'yolo',
      stateFolder: join(folder, '.state'),
      front: 'doctor',
    });
    const call = async (name: string, args: Record<string, unknown>): Promise<SettledCall> => {
      const [settled] = await toolbox.scheduler.run(
        [{ id: '', name, arguments: args }],
        AbortSignal.timeout(20_000),
      );
      return settled as SettledCall;
    };
    const tried: [string, SettledCall][] = [
      ['Search (ripgrep)', await call('grep_search', { pattern: 'needle' })],
      ['Reading files', await call('read_file', { absolute_path: join(folder, 'a.txt') })],
      [
        'Changing files, with undo',
        await call('write_file', { file_path: join(folder, 'b.txt'), content: 'x\n' }),
      ],
    ];
    await toolbox.close();
    return tried.map(([what, { error }]) => ({
      state: error ? 'broken' : 'ok',
      what,
      detail: error?.message ?? 'works',
    }));
  } catch (error) {
    return [{ state: 'broken', what: 'Tools', detail: messageOf(error) }];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
