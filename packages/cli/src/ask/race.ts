import type { Choice, Race } from '@toolwright/core/front-end';
import type { Front } from '../ui/front.js';
import { numbersIn, type RaceQuestionOptions, raceQuestion, type ShownWork } from './race-questions.js';
import { askReview } from './review.js';
import { warningsOf } from './review-questions.js';

/** The user's decision about the sessions of a race. */
export type RaceDecision =
  | { kind: 'keep'; number: number; choice: Choice | 'all' }
  | { kind: 'wait' }
  | { kind: 'drop' };

export interface AskRaceOptions extends Omit<RaceQuestionOptions, 'shown'> {
  show(path: string): string;
  ask: Front['ask'];
  signal: AbortSignal;
}

/** Asks until the user has chosen a session, or none; they can look at each, and at the difference of any two. */
export async function askRace(race: Race, options: AskRaceOptions): Promise<RaceDecision> {
  const { ask, signal } = options;
  let shown: ShownWork | undefined;
  for (;;) {
    const reply = await ask(raceQuestion(race.state, { ...options, shown }), signal);
    if (!reply || reply.key === 'w') return { kind: 'wait' };
    if (reply.key === 'n') return { kind: 'drop' };
    if (reply.key === 's' || reply.key === 'd') {
      shown = await showWork(race, reply, options);
      continue;
    }
    const choice = await chooseOf(race, Number(reply.key), options);
    if (choice === 'all' || choice.size > 0) return { kind: 'keep', number: Number(reply.key), choice };
    shown = undefined;
  }
}

/** Shows what is about to be kept; an empty choice goes back. */
async function chooseOf(
  race: Race,
  number: number,
  { show, ask, signal }: AskRaceOptions,
): Promise<Choice | 'all'> {
  const { review, hunks } = race.reviewed(number)!;
  const title = `Keep what session ${number} changed?`;
  return askReview(review, {
    title,
    leave: 'keep none of it, and choose again',
    show,
    hunks,
    ask,
    signal,
  });
}

async function showWork(
  race: Race,
  { key, text }: { key: string; text: string },
  { show, signal }: AskRaceOptions,
): Promise<ShownWork> {
  const numbers = numbersIn(text, key === 's' ? 1 : 2, race.state);
  if (!numbers)
    return {
      title: 'Which session do you want to keep?',
      facts: [
        `After ${key}, give ${key === 's' ? 'the number of one session' : 'the numbers of two sessions'} that changed something.`,
      ],
    };
  const [first, second] = numbers as [number, number];
  if (key === 's') {
    const { review, planned } = race.reviewed(first)!;
    return {
      title: `Session ${first}: ${review.summary}. Which session do you want to keep?`,
      warnings: warningsOf(review.items, show),
      facts: [],
      diff: planned.diff,
    };
  }
  const { diff, notShown } = await race.compare(first, second, signal);
  const facts = notShown.map(({ path, why }) => `${path} is not compared: ${why}`);
  const same = diff.files.length === 0 ? 'do not differ' : 'differ by this, from the first to the second';
  return {
    title: `The sessions ${first} and ${second} ${same}. Which session do you want to keep?`,
    facts,
    diff,
  };
}
