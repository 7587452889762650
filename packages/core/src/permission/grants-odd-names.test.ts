import type { Effect } from '@toolwright/machine/base/effect.js';
import { actingCharacters, hostileNames } from '@toolwright/machine/base/fixtures/hostile-names.js';
import { analyseCommand } from '@toolwright/machine/shell/analyse.js';
import { describe, expect, it } from 'vitest';
import { permission } from './fixtures/shell-effects.js';
import { approvalModes } from './modes.js';

const path = (name: string): string => `/work/app/${name}`;

/** Gives an effect of each kind, named like this. */
const effectsNamed = (name: string): Effect[] => [
  { kind: 'read', path: path(name) },
  { kind: 'write', path: path(name) },
  { kind: 'delete', path: path(name) },
  { kind: 'memory', scope: 'project', path: path(name) },
  { kind: 'network', host: name, port: 443, url: `https://${name}/` },
  { kind: 'mcp', server: name, tool: 'read' },
  { kind: 'mcp', server: 'files', tool: name },
  { kind: 'outside', access: 'read', path: path(name) },
  { kind: 'outside', access: 'host', host: name },
  {
    kind: 'execute',
    command: `touch ${name}`,
    directory: path(name),
    readOnly: false,
    network: false,
    background: false,
    commands: [['touch', name]],
    offers: [['touch', name]],
  },
];

describe.each(hostileNames)('a name with %s', (_what, name) => {
  it.each(effectsNamed(name).map((effect): [string, Effect] => [effect.kind, effect]))(
    'of a %s forges no reason, and no wider rule is offered for it',
    async (_kind, effect) => {
      for (const mode of approvalModes) {
        const { decide, offers } = await permission(mode, {
          ask: [`Shell(${JSON.stringify(name)})`, 'Edit(**)'],
        });
        const { reason } = decide({ tool: 'some_tool', effects: [effect] });
        expect(reason).not.toMatch(actingCharacters);
        expect(reason.length).toBeLessThan(3_000);
        expect(offers({ tool: 'some_tool', effects: [effect] })).toEqual([]);
      }
      const { offers } = await permission('default');
      expect(offers({ tool: 'some_tool', effects: [effect] })).toEqual([]);
    },
  );

  it('in a command forges no doubt', async () => {
    const context = { directory: '/work/app', roots: ['/work/app'], home: '/home/me' };
    const quoted = `'${name.replaceAll("'", '')}'`;
    for (const command of [
      `cat /${quoted}`,
      `${quoted} x`,
      `rm ${quoted}`,
      `npm test --prefix ${quoted}`,
      `git ${quoted}`,
    ]) {
      const { doubts, beyond } = await analyseCommand(command, context);
      for (const text of [...doubts, ...beyond.map(({ why }) => why)]) {
        expect(text).not.toMatch(actingCharacters);
        expect(text.length).toBeLessThanOrEqual(3_000);
      }
    }
  });
});

it('an odd name among the files of a command leaves the rule for the command', async () => {
  const { offers } = await permission('default');
  const execute: Effect = {
    ...effectsNamed('x').at(-1)!,
    commands: [['npm', 'test']],
    offers: [['npm', 'test']],
    staged: true,
  } as Effect;
  const effects: Effect[] = [execute, { kind: 'write', path: path('a\nb'), staged: true }];
  expect(offers({ tool: 'run_shell_command', effects }).map(({ rule }) => rule)).toEqual(['Shell(npm test)']);
});
