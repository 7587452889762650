import type { FileDiff } from '@toolwright/core';
import type { RaceState } from '@toolwright/core/front-end';
import type { Choice, Question } from '../app/question.js';
import { type SafeText, safe, safeDiff, safeLine } from '../app/safe-text.js';

/** Something the user asked to see before they choose. */
export interface ShownWork {
  title: string;
  warnings?: readonly SafeText[];
  facts: readonly string[];
  diff?: FileDiff;
}

export interface RaceQuestionOptions {
  /** The number of the session whose work is the best; null where none is. */
  best: number | null;
  /** The fate of the sessions that are not chosen. */
  others: 'dropped' | 'left';
  shown?: ShownWork;
}

/** Asks which session's work is kept. */
export function raceQuestion({ runners }: RaceState, { best, others, shown }: RaceQuestionOptions): Question {
  const works = runners.flatMap(({ number, end, check }) =>
    end?.work ? [{ number, work: end.work, check }] : [],
  );
  const isOneOfSeveral = works.length > 1;
  return {
    title: safeLine(shown?.title ?? 'Which session do you want to keep?'),
    warnings: shown?.warnings,
    facts: (shown?.facts ?? []).map(safeLine),
    diff: shown?.diff && safeDiff(shown.diff),
    choices: [
      ...works.map(({ number, work, check }) => ({
        key: String(number),
        label: safeLine(
          [
            `keep session ${number}: ${work.summary} (+${work.added} -${work.removed})`,
            ...(check ? [check.passed ? 'its check passed' : 'its check failed'] : []),
            ...(number === best ? ['the best'] : []),
            ...(isOneOfSeveral
              ? [others === 'dropped' ? 'the others are dropped' : 'the others are left for later']
              : []),
          ].join('; '),
        ),
        chosen: safeLine(`session ${number}`),
        agrees: true,
      })),
      ...looks.slice(0, isOneOfSeveral ? 2 : 1),
      {
        key: 'w',
        label: safe('decide later: the sessions keep waiting; toolwright apart list shows them'),
        chosen: safe('decide later'),
      },
      { key: 'n', label: safe('keep none: all sessions are dropped') },
    ],
    refusal: 'w',
  };
}

const looks: readonly Choice[] = [
  { key: 's', label: safe('show the changes of one'), chosen: null, asksFor: safe('Which one') },
  {
    key: 'd',
    label: safe('show the difference of two'),
    chosen: null,
    asksFor: safe('Which two, such as 1 2'),
  },
];

/** The numbers of sessions in an answer such as `1 2`; null unless there are so many of them. */
export function numbersIn(text: string, count: number, { runners }: RaceState): number[] | null {
  const numbers = text
    .split(/[\s,]+/)
    .filter(Boolean)
    .map(Number);
  const areKnown = numbers.every((number) =>
    runners.some((runner) => runner.number === number && runner.end?.work),
  );
  return numbers.length === count && areKnown ? numbers : null;
}
