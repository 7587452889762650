import { type Signal, useSignal } from '@preact/signals';
import type { Answer, QuestionPart } from '@toolwright/core';
import { type LiveAnswer, type LiveQuestion, messageOf } from '@toolwright/core/front-end';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { readOnly } from '../state/store.js';
import { Diff } from './diff.js';
import { Output } from './display.js';
import { safeText } from './safe-text.js';

interface QuestionProps {
  asked: LiveQuestion;
  answer(answer: LiveAnswer): Promise<{ taken: boolean }>;
  /** The place where it can be answered when this page only shows. */
  elsewhere: string;
}

/** A question with the words of the terminal. It can be answered here or there; whoever is first counts. */
export function QuestionView({ asked, answer, elsewhere }: QuestionProps) {
  const { digest, question } = asked;
  const heading = useRef<HTMLHeadingElement>(null);
  const sending = useSending(digest, answer);
  useKeptPlace(heading, sending);
  useEffect(() => heading.current?.focus({ preventScroll: false }), [digest]);
  return (
    <section class="question" aria-labelledby={`question-${digest}`}>
      <h2 id={`question-${digest}`} ref={heading} tabIndex={-1}>
        {safeText(question.title)}
      </h2>
      {question.warnings.length > 0 && (
        <ul class="warnings">
          {question.warnings.map((warning) => (
            <li>{safeText(warning)}</li>
          ))}
        </ul>
      )}
      {question.body.map((part) => (
        <Part part={part} />
      ))}
      {question.facts.map((fact) => (
        <p class="fact">{safeText(fact)}</p>
      ))}
      <Answers asked={asked} sending={sending} />
      <p role="status" class="said">
        {readOnly.value ? `This page only shows (--read-only): answer ${elsewhere}.` : sending.said.value}
      </p>
    </section>
  );
}

/** The way of an answer to the program, and what became of it. */
interface Sending {
  said: Signal<string>;
  isUnderWay: Signal<boolean>;
  /** The number of the answer in the question's list, and what was written beside it. */
  send(answer: number, beside?: Partial<LiveAnswer>): Promise<void>;
}

function useSending(digest: string, give: QuestionProps['answer']): Sending {
  const said = useSignal('');
  const isUnderWay = useSignal(false);
  useEffect(() => {
    said.value = '';
    isUnderWay.value = false;
  }, [digest]);
  const send: Sending['send'] = async (answer, beside = {}) => {
    isUnderWay.value = true;
    said.value = '';
    try {
      const { taken } = await give({ digest, answer, ...beside });
      said.value = taken
        ? 'Answered.'
        : 'This question is no longer open: it was answered elsewhere, or withdrawn.';
      isUnderWay.value = taken;
    } catch (error) {
      said.value = messageOf(error);
      isUnderWay.value = false;
    }
  };
  return { said, isUnderWay, send };
}

function Answers({
  asked: { digest, question },
  sending: { send, isUnderWay },
}: {
  asked: LiveQuestion;
  sending: Sending;
}) {
  const drawn = (...kinds: Answer['kind'][]) =>
    question.answers.map(
      (answer, index) =>
        kinds.includes(answer.kind) && (
          <AnswerView
            key={`${digest}-${index}`}
            answer={answer}
            isOff={isUnderWay.value || readOnly.value}
            send={(beside) => send(index, beside)}
          />
        ),
    );
  return (
    <div class="answers" role="group" aria-label="Answers">
      {drawn('once', 'all')}
      {question.answers.some(({ kind }) => kind === 'always') && (
        <details>
          <summary>Yes, and allow more than this once</summary>
          <div class="answers">{drawn('always')}</div>
        </details>
      )}
      {drawn('modify', 'no', 'never')}
    </div>
  );
}

/** Whoever answered with the keyboard goes on from where the question was. */
function useKeptPlace(
  heading: { current: HTMLElement | null },
  { said, isUnderWay }: Pick<Sending, 'said' | 'isUnderWay'>,
): void {
  useLayoutEffect(() => {
    const place = heading.current?.closest<HTMLElement>('[tabindex="-1"]:not(h2)');
    const question = heading.current?.parentElement;
    return () => {
      // An answer that is under way has switched its button off, which takes the focus from it.
      const isHere = isUnderWay.value || said.value !== '' || question?.contains(document.activeElement);
      if (isHere) place?.focus({ preventScroll: true });
    };
  }, []);
}

function Part({ part }: { part: QuestionPart }) {
  switch (part.kind) {
    case 'diff':
      return <Diff diff={part.untrusted} />;
    case 'addresses':
      return (
        <ul class="addresses">
          {part.untrusted.map((address) => (
            <li>
              <code>{safeText(address)}</code>
            </li>
          ))}
        </ul>
      );
    case 'command':
      return <Output text={part.untrusted} label="Command" />;
    case 'message':
      return <Output text={part.untrusted} label="Message" />;
    default:
      return (
        <div>
          <p class="fact">{safeText(part.heading)}</p>
          <Output text={part.untrusted} label={part.kind} />
        </div>
      );
  }
}

interface AnswerProps {
  answer: Answer;
  isOff: boolean;
  send(beside?: Partial<LiveAnswer>): Promise<void>;
}

function AnswerView({ answer, isOff, send }: AnswerProps) {
  switch (answer.kind) {
    case 'once':
      return (
        <button type="button" class="yes" disabled={isOff} onClick={() => send()}>
          {safeText(answer.label)}
        </button>
      );
    case 'all':
      return (
        <div class="rewrite">
          <button type="button" disabled={isOff} onClick={() => send()}>
            {safeText(answer.label)}
          </button>
          <ul class="effects">
            {answer.titles.map((title) => (
              <li>{safeText(title)}</li>
            ))}
          </ul>
        </div>
      );
    case 'never':
      return (
        <button type="button" class="no" disabled={isOff} onClick={() => send()}>
          {safeText(answer.label)}
        </button>
      );
    case 'always':
      return <Always label={answer.label} isOff={isOff} send={send} />;
    case 'modify':
      return <Modify answer={answer} isOff={isOff} send={send} />;
    case 'no':
      return <No label={answer.label} isOff={isOff} send={send} />;
  }
}

const limits: readonly [string, LiveAnswer['limit']][] = [
  ['without a limit', null],
  ['for 10 calls', { uses: 10 }],
  ['for 30 minutes', { forMs: 1_800_000 }],
  ['for 1 day', { forMs: 86_400_000 }],
  ['for 7 days', { forMs: 604_800_000 }],
];

function Always({ label, isOff, send }: Omit<AnswerProps, 'answer'> & { label: string }) {
  const limit = useSignal(0);
  return (
    <div class="always">
      <button type="button" disabled={isOff} onClick={() => send({ limit: limits[limit.value]![1] ?? null })}>
        {safeText(label)}
      </button>
      <select
        aria-label="How long it holds"
        disabled={isOff}
        onChange={({ currentTarget }) => (limit.value = currentTarget.selectedIndex)}
      >
        {limits.map(([words]) => (
          <option>{words}</option>
        ))}
      </select>
    </div>
  );
}

function Modify({
  answer,
  isOff,
  send,
}: Omit<AnswerProps, 'answer'> & { answer: Answer & { kind: 'modify' } }) {
  const isOpen = useSignal(false);
  const written = useSignal(answer.untrusted);
  return (
    <div class="rewrite">
      <button
        type="button"
        disabled={isOff}
        aria-expanded={isOpen.value}
        onClick={() => (isOpen.value = !isOpen.value)}
      >
        {safeText(answer.label)}
      </button>
      {isOpen.value && (
        <>
          <textarea
            aria-label={safeText(answer.name)}
            rows={8}
            spellcheck={false}
            value={written.value}
            onInput={({ currentTarget }) => (written.value = currentTarget.value)}
          />
          <button
            type="button"
            disabled={isOff || written.value === answer.untrusted}
            onClick={() => send({ written: written.value })}
          >
            use this instead, then ask again
          </button>
        </>
      )}
    </div>
  );
}

function No({ label, isOff, send }: Omit<AnswerProps, 'answer'> & { label: string }) {
  const reason = useSignal('');
  return (
    <form
      class="refusal"
      onSubmit={(event) => {
        event.preventDefault();
        void send({ reason: reason.value });
      }}
    >
      <button type="submit" class="no" disabled={isOff}>
        no
      </button>
      <input
        aria-label={label}
        placeholder="a reason for the model, if you like"
        value={reason.value}
        onInput={({ currentTarget }) => (reason.value = currentTarget.value)}
      />
    </form>
  );
}
