import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { FileDiff } from '@toolwright/machine/base/content.js';
import { createTempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { describe, expect, it } from 'vitest';
import { createToolbox } from '../../create-toolbox.js';

const { signal } = new AbortController();

interface Sample {
  /** Makes the program be there; why not, where that can't be. */
  install(folder: string): string | null;
  settings: Record<string, string>;
  file: string;
  written: string;
  formatted: string;
}

function ran(program: string, args: readonly string[], cwd: string): boolean {
  return spawnSync(program, args, { cwd, stdio: 'ignore', timeout: 120_000 }).status === 0;
}

const samples: Record<string, Sample> = {
  prettier: {
    install: (cwd) =>
      ran('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', 'prettier@3'], cwd)
        ? null
        : 'npm has no prettier',
    settings: { 'package.json': '{"private":true}', '.prettierrc': '{"singleQuote":true}' },
    file: 'a.ts',
    written: 'const a   = {b:"c"}',
    formatted: "const a = { b: 'c' };\n",
  },
  biome: {
    install: (cwd) =>
      ran('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '@biomejs/biome@2'], cwd)
        ? null
        : 'npm has no biome',
    settings: { 'package.json': '{"private":true}', 'biome.json': '{"formatter":{"indentStyle":"space"}}' },
    file: 'a.ts',
    written: 'function f( ){return 1}',
    formatted: 'function f() {\n  return 1;\n}\n',
  },
  ruff: {
    install: (cwd) =>
      ran('python3', ['-m', 'venv', '.venv'], cwd) &&
      ran('.venv/bin/pip', ['install', '--quiet', 'ruff'], cwd)
        ? null
        : 'no ruff could be installed with pip',
    settings: { 'pyproject.toml': '[project]\nname = "a"\n\n[tool.ruff]\n' },
    file: 'a.py',
    written: "x = {'a':1}\ndef f( ): return 1",
    formatted: 'x = {"a": 1}\n\n\ndef f():\n    return 1\n',
  },
  gofmt: {
    install: () =>
      spawnSync('gofmt', ['-h']).error
        ? 'this machine has no gofmt (Debian: apt-get install golang-go)'
        : null,
    settings: {},
    file: 'a.go',
    written: 'package main\nfunc  main( ){\nprintln( 1 )}\n',
    formatted: 'package main\n\nfunc main() {\n\tprintln(1)\n}\n',
  },
};

describe.each(Object.entries(samples))(
  '%s of the project',
  (name, { install, settings, file, written, formatted }) => {
    it('formats a new file within the change that is asked about, and one undo takes it back', async () => {
      const temp = createTempWorkspace({ content: settings });
      const missing = install(temp.directory);
      if (missing !== null) {
        console.log(`not tried: ${missing}`);
        return temp.cleanup();
      }
      const asked: FileDiff[] = [];
      const toolbox = await createToolbox({
        workspace: temp.directory,
        stateFolder: join(temp.outside, 'state'),
        trusted: true,
        languages: { format: true, enabled: false },
        async confirm({ details }) {
          if ('diff' in details && details.diff) asked.push(details.diff);
          return { kind: 'once' };
        },
      });
      try {
        const args = { file_path: file, content: written };
        const [done] = await toolbox.scheduler.run(
          [{ id: '1', name: 'write_file', arguments: args }],
          signal,
        );
        console.log(`${name}: ${JSON.stringify(done?.response.response)}`);
        expect(JSON.stringify(done?.response.response)).toContain(`The file was formatted with ${name}.`);
        expect(temp.read(file)).toBe(formatted);
        expect(asked[0]?.files[0]?.unified).toContain(`+${formatted.trimEnd().split('\n').at(-1)}`);
        const id = done!.changeSet!;
        const undo = await toolbox.planUndo({ changeSet: toolbox.session.recentChanges.get(id)! }, signal);
        if (undo.kind !== 'ready') throw new Error(undo.kind);
        await toolbox.undo(undo.planned, id, signal);
        expect(temp.exists(file)).toBe(false);
      } finally {
        await toolbox.close();
        await temp.cleanup();
      }
    }, 300_000);
  },
);
