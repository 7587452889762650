import { describe, expect, it } from 'vitest';
import { commandWords, formatCommand } from './command-words.js';

describe('the words of a command', () => {
  it.each<[string | string[], string[]]>([
    ['tools.sh', ['tools.sh']],
    ['  node   list.mjs --all ', ['node', 'list.mjs', '--all']],
    [`python3 "my tools.py" --name='a b'`, ['python3', 'my tools.py', '--name=a b']],
    [`say "a \\"quoted\\" word" ''`, ['say', 'a "quoted" word', '']],
    [`echo 'it'"'"'s'`, ['echo', "it's"]],
    ['my\\ tools.sh', ['my tools.sh']],
    [
      ['sh', '-c', 'a | b'],
      ['sh', '-c', 'a | b'],
    ],
  ])('of %j are %j', (command, words) => {
    expect(commandWords(command, 'tools.toolCallCommand')).toEqual(words);
  });

  it.each<[string | string[], RegExp]>([
    ['', /^tools\.x: the command is empty/],
    ['   ', /the command is empty/],
    [[], /the command is empty/],
    ['cat tools.json | jq .', /"\|" means something to a shell only.*\["sh", "-c"/],
    ['a && b', /"&" means something to a shell only/],
    ['echo `id`', /"`" means something to a shell only/],
    ['say "oops', /the quote " is never closed in: say "oops/],
    [['a', 'b\0c'], /NUL character/],
  ])('of %j are refused', (command, message) => {
    expect(() => commandWords(command, 'tools.x')).toThrow(message);
  });

  it('are shown the way a user would type them', () => {
    const words = ['python3', 'my tools.py', "it's", '--all'];
    expect(formatCommand(words)).toBe(`python3 'my tools.py' 'it'\\''s' --all`);
    expect(commandWords(formatCommand(words), 'x')).toEqual(words);
  });
});
