import { startFakeModelServer } from '@toolwright/core/testing';
import { expect, it } from 'vitest';
import { createMachine } from './program.js';

const lines = Array.from({ length: 60 }, (_, index) => `line ${index} of the file\n`).join('');
const read = { name: 'read_file', arguments: { absolute_path: 'a.txt' } };
const shell = (command: string) => ({ name: 'run_shell_command', arguments: { command } });

it('the model is told why a file is not sent again, why one is not read, and what a command that waits has asked', async () => {
  const server = await startFakeModelServer({
    answers: [
      { calls: [read] },
      { calls: [read] },
      { calls: [read] },
      { calls: [{ name: 'read_file', arguments: { absolute_path: 'private/plan.txt' } }] },
      {
        calls: [
          { name: 'read_many_files', arguments: { paths: ['**/*.txt'] } },
          { name: 'grep_search', arguments: { pattern: 'word' } },
        ],
      },
      { calls: [shell('read -p "Overwrite it? [y/N] " answer && echo "$answer"')] },
      { calls: [shell('rm -i a.txt')] },
      { text: 'Done.' },
    ],
  });
  const machine = createMachine({
    'a.txt': lines,
    '.toolwrightignore': 'private/\n',
    '.gitignore': 'build/\n',
    'private/plan.txt': 'word\n',
    'build/made.txt': 'word\n',
  });
  try {
    const ended = await machine.run(['-p', 'Go.', '-y'], { env: server.environment() });
    expect(ended).toMatchObject({ code: 0, stdout: 'Done.\n' });
    const heard = server.requests.slice(1).map(({ body }) => {
      const messages = body['messages'] as { role: string; content: unknown }[];
      const last = messages.findLastIndex(({ role }) => role === 'assistant');
      return messages.slice(last + 1).map(({ content }) => String(content));
    });
    const [first, second, third, refused, several, asked, removing] = heard.map((said) =>
      said.join('\n---\n'),
    );
    console.log(`evidence: ${JSON.stringify({ second, refused, several, asked, removing }, null, 1)}`);
    expect(first).toContain('line 59 of the file');
    expect(second).toMatch(
      /^Unchanged since you read it: .* Send the same call once more to see it again\.$/,
    );
    expect(third).toContain('line 59 of the file');
    expect(refused).toMatch(
      /private\/plan\.txt is named by an ignore rule \(\.toolwrightignore line 1: \\"private\/\\"\)/,
    );
    expect(several).not.toMatch(/plan\.txt|: word/);
    expect(several).toMatch(/in 1 ignored file/);
    expect(asked).toMatch(/it asked "Overwrite it\? \[y\/N\]" and nobody could answer/);
    expect(removing).toMatch(/it asked "rm: remove regular file 'a\.txt'\?" and nobody could answer/);
    for (const said of [asked, removing]) expect(said).toMatch(/is_background and answer with the tool jobs/);
  } finally {
    await server.close();
    machine.cleanup();
  }
});
