import type { LiveQuestion } from '@toolwright/core/front-end';
import { QuestionView } from '../parts/question.js';
import { ask } from '../state/client.js';

/** The questions of a parked task. It goes on, on whichever worker is free, once all of them are answered. */
export function TaskQuestions({ id, questions }: { id: string; questions: readonly LiveQuestion[] }) {
  if (questions.length === 0) return <p class="empty">It has no open question.</p>;
  return (
    <>
      {questions.map((asked) => (
        <QuestionView
          key={asked.digest}
          asked={asked}
          answer={(answer) => ask('answer/task', { task: id, ...answer })}
          elsewhere="with toolwright fleet answer"
        />
      ))}
    </>
  );
}
