import { describe, expect, it } from 'vitest';
import { declaredWords, openBuiltin } from './fixtures/open-builtin.js';

describe('run_shell_command as a built-in tool', () => {
  it('keeps what users of a tool rely on', async () => {
    await using builtin = await openBuiltin('run_shell_command', { 'src/a.ts': '' });
    expect(
      await builtin.check({
        valid: [{ command: 'ls src' }, { command: 'exit 3' }, { command: 'ls', directory: 'src' }],
        invalid: [{ command: '' }, { command: ' ' }, { command: 'a\0b' }, { command: 'ls', timeout: 0 }],
      }),
    ).toEqual([]);
  });

  it('is declared to the model in these words', async () => {
    expect(await declaredWords('run_shell_command')).toMatchInlineSnapshot(`
      [
        "run_shell_command: Runs a command line with bash and returns what it printed (both streams, in order) and how it ended. There is no terminal and nothing to read from standard input: use options that ask no questions. Each call is a new shell: cd and variables do not last. Unless it only reads, it runs on a copy of the workspace, without network, and the user decides which changes are kept. Use the other tools to read, search and edit files.",
        "command {"type":"string","minLength":1,"description":"Command line for bash."}",
        "description? {"type":"string","description":"What it is for, in a few words, for the user."}",
        "directory? {"type":"string","minLength":1,"description":"Folder to run in. Default: the workspace."}",
        "timeout? {"type":"integer","minimum":1,"maximum":1740000,"description":"Limit in milliseconds. Default: 600000."}",
        "is_background? {"type":"boolean","description":"For servers and watchers: it becomes a job, and the call returns at once."}",
        "network? {"type":"boolean","description":"It must reach the network, or be reached through it. The user is asked."}",
        "outside? {"type":"object","description":"What it needs beyond that: paths (whole, or from ~/) to read or write, hosts, the ssh agent. The user is asked.","properties":{"read":{"type":"array","items":{"type":"string"}},"write":{"type":"array","items":{"type":"string"}},"sshAgent":{"type":"boolean"},"hosts":{"type":"array","items":{"type":"string"}}}}",
      ]
    `);
  });

  it.each<[string, object, string]>([
    ['curl https://a.example', { network: true }, '`curl` (a.example) reaches the network'],
    ['npm test', { network: true }, 'it may use the network'],
    ['npm run dev', { is_background: true }, 'it keeps running in the background'],
    ['cat ~/.gitconfig', { outside: { read: ['~/.gitconfig'] } }, 'it reaches beyond the sandbox'],
    ['ls', {}, '`rm` deletes files'],
  ])(
    'the first reason to ask about a deletion and %s with %j is what is asked about before the command runs: %s',
    async (command, more, first) => {
      await using builtin = await openBuiltin('run_shell_command', { 'old/a.txt': '' });
      const effects = await builtin.tool.effects!({ command: `rm -r old && ${command}`, ...more });
      const doubts = effects?.flatMap((effect) => (effect.kind === 'execute' ? (effect.doubts ?? []) : []));
      expect(doubts?.[0]).toBe(first);
      expect(doubts).toContain('`rm` deletes files');
    },
  );
});
