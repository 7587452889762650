import { expect, it } from 'vitest';
import { parseCommandLine } from '../../command-line/args.js';
import { engineFlags } from './engine-flags.js';
import { nextSteps } from './table.js';

const states = { queued: 1, running: 0, parked: 1, done: 0, failed: 2, poison: 0, cancelled: 0 };

it('what to type next names the fleet that was worked on', () => {
  const nextOf = (...words: string[]) =>
    nextSteps({ states, tasks: [] }, parseCommandLine(words, engineFlags)).map(
      (sentence) => sentence.split('toolwright ')[1],
    );
  expect(nextOf()).toEqual(['fleet worker --until-empty', 'fleet questions', 'fleet retry --failed']);
  expect(nextOf('--engine', 'nats://h:4222', '--name', 'night')[1]).toBe(
    'fleet questions --engine nats://h:4222 --name night',
  );
  expect(nextOf('--engine', '/srv/my fleet', '--insecure')[1]).toBe(
    "fleet questions --engine '/srv/my fleet' --insecure",
  );
});

it('what to type next holds no password of an address', () => {
  const args = parseCommandLine(['--engine', 'nats://me:secret@h'], engineFlags);
  expect(nextSteps({ states, tasks: [] }, args).join(' ')).not.toContain('secret');
});
