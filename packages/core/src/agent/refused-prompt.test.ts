import type { Part } from '@toolwright/machine/base/content.js';
import { describe, expect, it } from 'vitest';
import type { AgentEvent } from './events.js';
import { type FurtherPrompt, furtherPrompts } from './refused-prompt.js';

const { signal } = new AbortController();

/** What reaches the model where a hook refuses every prompt with `secret`, and what is told. */
async function sent(written: Part[] | FurtherPrompt[]) {
  const events: AgentEvent[] = [];
  const heard: string[] = [];
  const between = furtherPrompts({
    between: async () => written,
    emit: (event) => events.push(event),
    async prepare(prompt) {
      heard.push(prompt);
      if (prompt.includes('broken')) throw new Error('broken hook');
      return prompt.includes('secret') ? { refused: 'No secrets.' } : [{ text: ' (checked)' }];
    },
  });
  return { parts: await between?.(signal), heard, events };
}

describe('what the user writes while the model works', () => {
  it('is a prompt alone: a refusal of one keeps no other from the model', async () => {
    const ends: [string, string | null][] = [];
    const prompt = (text: string): FurtherPrompt => ({
      parts: [{ text }],
      onEnd: (refused) => void ends.push([text, refused]),
    });
    const { parts, heard, events } = await sent([prompt('one'), prompt('secret two'), prompt('three')]);
    expect(heard).toEqual(['one', 'secret two', 'three']);
    expect(parts?.map(({ text }) => text)).toEqual(['one', ' (checked)', 'three', ' (checked)']);
    expect(events).toEqual([{ type: 'notice', message: 'No secrets.' }]);
    expect(ends).toEqual([
      ['one', null],
      ['secret two', 'No secrets.'],
      ['three', null],
    ]);
  });

  it('is told as sent only when all of it is ready', async () => {
    const ends: string[] = [];
    const prompt = (text: string): FurtherPrompt => ({
      parts: [{ text }],
      onEnd: () => void ends.push(text),
    });
    await expect(sent([prompt('one'), prompt('broken')])).rejects.toThrow('broken hook');
    expect(ends).toEqual([]);
  });

  it('may be the parts of one prompt, and nothing', async () => {
    expect((await sent([{ text: 'a' }, { text: 'b' }])).heard).toEqual(['ab']);
    expect((await sent([{ text: 'secret' }])).parts).toBeNull();
    expect((await sent([])).parts).toBeNull();
  });
});
