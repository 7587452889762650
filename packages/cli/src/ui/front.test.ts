import { describe, expect, it, vi } from 'vitest';
import type { UserEvent } from '../app/events.js';
import type { Key } from '../app/key.js';
import type { Question } from '../app/question.js';
import { safe } from '../app/safe-text.js';
import { createFront, type Front } from './front.js';
import { createLiveDrawing } from './live-drawing.js';
import { appearanceOf } from './open-front.js';
import type { Terminal } from './terminal.js';

const question: Question = {
  title: safe('Edit?'),
  facts: [],
  choices: [
    { key: 'y', label: safe('yes'), agrees: true },
    { key: 'n', label: safe('no'), asksFor: safe('No, because') },
  ],
  refusal: 'n',
};

interface Bench {
  front: Front;
  press(...keys: (Key | string)[]): void;
  output(): string;
  events: UserEvent[];
  calls: string[];
}

function createBench(rows = 24): Bench {
  let output = '';
  let onKey = (_key: Key): void => undefined;
  const calls: string[] = [];
  const terminal: Terminal = {
    write: (text) => void (output += text),
    screen: () => ({ columns: 60, rows }),
    start: () => void calls.push('start'),
    stop: () => void calls.push('stop'),
    onKey: (listener) => void (onKey = listener),
    onReport: () => undefined,
    onResize: () => undefined,
    onEnd: () => undefined,
  };
  const appearance = { color: false, unicode: true, linear: false };
  const front = createFront({ terminal, drawing: createLiveDrawing({ ...terminal, appearance }) });
  const events: UserEvent[] = [];
  front.onUser((event) => events.push(event));
  front.start();
  const press = (...keys: (Key | string)[]): void => {
    for (const key of keys) onKey(typeof key === 'string' ? { name: 'text', text: key } : key);
  };
  return { front, press, output: () => output, events, calls };
}

const enter: Key = { name: 'enter' };

describe('a question', () => {
  it('of a server that the turn did not wait for is still answered, and holds up no other', async () => {
    vi.useFakeTimers();
    try {
      const { front, press } = createBench();
      const { signal } = new AbortController();
      const first = front.ask(question, signal);
      const second = front.ask(question, signal);
      await vi.advanceTimersByTimeAsync(300);
      front.dispatch({ type: 'ready' });
      front.dispatch({ type: 'turn-ended' });
      press({ name: 'escape' });
      expect(await first).toEqual({ key: 'n', text: '' });
      await vi.advanceTimersByTimeAsync(300);
      press('y');
      expect(await second).toEqual({ key: 'y', text: '' });
    } finally {
      vi.useRealTimers();
    }
  });

  it('is answered by no key that comes before a pause, however long they come', async () => {
    vi.useFakeTimers();
    try {
      const { front, press } = createBench();
      const answer = vi.fn();
      void front.ask(question, new AbortController().signal).then(answer);
      for (let time = 0; time < 3_000; time += 100) {
        press('y', enter);
        await vi.advanceTimersByTimeAsync(100);
      }
      expect(front.state.question?.isOpen).toBe(false);
      await vi.advanceTimersByTimeAsync(250);
      expect(front.state.question).toMatchObject({ isOpen: true, reply: { text: '' } });
      expect(answer).not.toHaveBeenCalled();
      press('yes', enter);
      await vi.advanceTimersByTimeAsync(0);
      expect(answer).toHaveBeenCalledWith({ key: 'y', text: '' });
      expect(front.state.question).toBeNull();
    } finally {
      vi.useRealTimers();
    }
  });

  it('that does not fit is scrolled in place, and takes a deliberate yes', async () => {
    const { front, press, output } = createBench(12);
    const text = safe(Array.from({ length: 30 }, (_, index) => `line ${index}`).join('\n'));
    const answer = front.ask({ ...question, text }, new AbortController().signal);
    await expect.poll(() => front.state.question?.isOpen).toBe(true);
    expect(output()).toMatch(/\d\d more lines, 1-\d of 30/);
    expect(output()).not.toContain('line 29');
    press('y', enter);
    expect(output()).toContain('You have not seen all of it. Type yes to agree:');
    press({ name: 'escape' }, { name: 'end' });
    expect(output()).toContain('line 29');
    press('y');
    expect(await answer).toEqual({ key: 'y', text: '' });
  });

  it('a question is closed when its signal fires', async () => {
    const { front } = createBench();
    const controller = new AbortController();
    const answer = front.ask(question, controller.signal);
    controller.abort();
    expect(await answer).toBeNull();
    expect(front.state.question).toBeNull();
    expect(await front.ask(question, controller.signal)).toBeNull();
  });
});

describe('a letter in the middle of a word', () => {
  interface Asked extends Bench {
    answer: ReturnType<typeof vi.fn>;
    /** Types letters, each so long after the one before. */
    type(letters: string, pause: number): Promise<void>;
  }

  async function whenAsked(run: (asked: Asked) => Promise<void>, asked = question, rows = 24): Promise<void> {
    vi.useFakeTimers();
    try {
      const bench = createBench(rows);
      const answer = vi.fn();
      void bench.front.ask(asked, new AbortController().signal).then(answer);
      await vi.advanceTimersByTimeAsync(1_000);
      const type = async (letters: string, pause: number): Promise<void> => {
        for (const letter of letters) {
          bench.press(letter);
          await vi.advanceTimersByTimeAsync(pause);
        }
      };
      await run({ ...bench, answer, type });
    } finally {
      vi.useRealTimers();
    }
  }

  it.each(['key', 'the way', 'if any'])(
    'of %j answers nothing, however long the question has stood',
    (words) =>
      whenAsked(async ({ answer, type, front }) => {
        await type(words, 120);
        expect(answer).not.toHaveBeenCalled();
        expect(front.state.question?.page).toEqual({ kind: 'answers' });
        // After a pause one press answers at once.
        await vi.advanceTimersByTimeAsync(250);
        await type('y', 0);
        expect(answer).toHaveBeenCalledWith({ key: 'y', text: '' });
      }),
  );

  it('answers nothing where the word comes in one piece, or its letters behind Backspace', () =>
    whenAsked(async ({ answer, press, front }) => {
      press('they');
      await vi.advanceTimersByTimeAsync(300);
      press('k', 'e', { name: 'backspace' }, 'y', enter);
      await vi.advanceTimersByTimeAsync(0);
      expect(answer).not.toHaveBeenCalled();
      expect(front.state.question?.page).toEqual({ kind: 'answers' });
    }));

  it('answers when it comes after a pause', () =>
    whenAsked(async ({ answer, type }) => {
      await type('ky', 300);
      expect(answer).toHaveBeenCalledWith({ key: 'y', text: '' });
    }));

  it.each<[string, (Key | string)[]]>([
    ['a key that scrolled', [{ name: 'down' }, { name: 'end' }, 'y']],
    ['Space, which scrolled', [' ', ' ', 'y']],
    ['an arrow that does nothing', [{ name: 'left' }, { name: 'end' }, 'y']],
    ['Enter that does nothing', [enter, { name: 'end' }, 'y']],
  ])('is none right behind %s: it answers', (_what, keys) =>
    whenAsked(
      async ({ answer, press }) => {
        press(...keys);
        await vi.advanceTimersByTimeAsync(0);
        expect(answer).toHaveBeenCalledWith({ key: 'y', text: '' });
      },
      { ...question, text: safe(Array.from({ length: 14 }, (_, at) => `line ${at}`).join('\n')) },
      12,
    ),
  );

  it('is none right behind a letter that meant something: scopes and limits, a reason, the word yes', async () => {
    const choices = [...question.choices, { key: 'a', label: safe('always…'), opensAlways: true }];
    const always = [{ session: 'a1', saved: 's1', label: safe('edits'), rule: safe('edit') }];
    await whenAsked(
      async ({ answer, press }) => {
        press('a', 'l', 's', '1');
        await vi.advanceTimersByTimeAsync(0);
        expect(answer).toHaveBeenCalledWith({ key: 's1', text: '10' });
      },
      { ...question, choices, always },
    );
    await whenAsked(async ({ answer, press }) => {
      press('n', 'key', 'y', enter);
      await vi.advanceTimersByTimeAsync(0);
      expect(answer).toHaveBeenCalledWith({ key: 'n', text: 'keyy' });
    });
    const long = { ...question, text: safe('line\n'.repeat(30)) };
    await whenAsked(
      async ({ answer, press }) => {
        press('y', 'y', 'e', 's', enter);
        await vi.advanceTimersByTimeAsync(0);
        expect(answer).toHaveBeenCalledWith({ key: 'y', text: '' });
      },
      long,
      12,
    );
  });
});

it('the rest of a word whose first letter was the answer is no prompt, and later letters are', async () => {
  const { front, press, events } = createBench();
  front.dispatch({ type: 'ready' });
  const answer = front.ask(question, new AbortController().signal);
  await expect.poll(() => front.state.question?.isOpen).toBe(true);
  press('yes', enter);
  expect(await answer).toEqual({ key: 'y', text: '' });
  press('essay');
  expect(front.state.input.text).toBe('essay');
  expect(events.some(({ type }) => type === 'prompt-submitted')).toBe(false);
});

it('the terminal is given back while another program has it, also when that fails', async () => {
  const { front, calls } = createBench();
  await expect(front.lend(() => Promise.reject(new Error('x')))).rejects.toThrow('x');
  expect(calls).toEqual(['start', 'stop', 'start']);
});

it('nothing is drawn while another program has the terminal, and afterwards what came meanwhile', async () => {
  const { front, output } = createBench();
  let before = '';
  await front.lend(async () => {
    before = output();
    front.dispatch({ type: 'ticked', seconds: 3 });
    front.dispatch({
      type: 'block-added',
      block: { kind: 'text', text: safe('A job ended.'), tone: 'plain' },
    });
    expect(output()).toBe(before);
  });
  expect(output().slice(before.length)).toContain('A job ended.');
});

it('what the user does is told after the state has changed', () => {
  const { front, press, events } = createBench();
  front.dispatch({ type: 'ready' });
  press('list .', enter);
  expect(events.at(-1)).toEqual({ type: 'prompt-submitted', text: 'list .' });
  expect(front.state).toMatchObject({ phase: 'working', input: { text: '' } });
});

describe('what a terminal can show', () => {
  const auto = { color: 'auto', linear: false } as const;
  it.each([
    [{ TERM: 'xterm', LANG: 'en_US.UTF-8' }, auto, { color: true, unicode: true }],
    [{ TERM: 'xterm', NO_COLOR: '1', LANG: 'C' }, auto, { color: false, unicode: false }],
    [{ TERM: 'xterm', NO_COLOR: '' }, auto, { color: true, unicode: false }],
    [{ TERM: 'dumb' }, auto, { color: false }],
    [{}, auto, { color: false }],
    [
      { TERM: 'xterm', NO_COLOR: '1' },
      { color: 'always', linear: true } as const,
      { color: true, linear: true },
    ],
    [{ TERM: 'xterm' }, { color: 'never', linear: false } as const, { color: false }],
    [{ TERM: 'xterm', LC_ALL: 'C', LANG: 'en_US.UTF-8' }, auto, { unicode: false }],
  ])('%j with %j is %j', (environment, options, expected) => {
    expect(appearanceOf(environment, options)).toMatchObject(expected);
  });
});
