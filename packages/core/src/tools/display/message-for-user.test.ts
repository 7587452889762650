import { expect, it } from 'vitest';
import { messageForUser } from './message-for-user.js';

it.each<[string, string]>([
  ['nope.ts does not exist. Use glob to look for it.', 'nope.ts does not exist.'],
  [
    'a.ts has not been read in this session, so it was not changed. Read it first (read_file, or grep_search for the lines in question), then repeat the call.',
    'a.ts has not been read in this session, so it was not changed.',
  ],
  [
    'old_string was not found in a.ts; nothing was changed. Send old_string exactly as the file has it.',
    'The text to replace was not found in a.ts; nothing was changed.',
  ],
  [
    'a.ts was changed by someone else in the same part (now line 3), so nothing was written. What they changed:\n-a\n+Use b. Read c.\nTake their change into account and repeat the call.',
    'a.ts was changed by someone else in the same part (now line 3), so nothing was written. What they changed:\n-a\n+Use b. Read c.',
  ],
  [
    'this command ran without network, so `git push` reached nothing outside of it. If it must, call again with network: true; the user is asked',
    'this command ran without network, so `git push` reached nothing outside of it.',
  ],
  [
    'nope.txt does not exist. Did you mean one.txt? To create it, send an empty old_string.',
    'nope.txt does not exist. Did you mean one.txt?',
  ],
  ['There is no tool called "edti". The tools are: read_file, edit.', 'There is no tool called "edti".'],
  ['exit code 3', 'exit code 3'],
  [
    'The folder /w does not exist any more, so nothing was written. Tell the user.',
    'The folder /w does not exist any more, so nothing was written.',
  ],
  [
    'The server was not started: it was changed. Look at it; if it is right: toolwright mcp accept greeter',
    'The server was not started: it was changed. Look at it; if it is right: toolwright mcp accept greeter',
  ],
  ['Send one JSON object.', 'Send one JSON object.'],
])('the user reads what happened, and not what the model is advised to do: %j', (message, shown) => {
  expect(messageForUser(message)).toBe(shown);
});
