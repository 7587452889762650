import { createHash } from 'node:crypto';
import type { JsonObject } from '@toolwright/machine/base/json.js';
import { type JsonSocket, listenInFolder } from '@toolwright/machine/host/live/json-socket.js';
import type { StateFolder } from '@toolwright/machine/host/state/state-folder.js';
import type { AgentEvent } from '../agent/events.js';
import { outcomeOf } from '../question/answers.js';
import { wordQuestion } from '../question/question.js';
import type { ConfirmRequest, Outcome } from '../scheduler/call.js';
import { emptyTail, type LiveAbout, type LiveAnswer, type LiveEvent, tailAfter } from './live-words.js';

/** The door through which other programs of the user see a running session, and answer its questions. */
export interface LiveDoor {
  event(event: AgentEvent): void;
  /**
   * Shows a question until the signal fires. Gives the answer that came through the door and its label; never settles
   * where none comes.
   */
  question(request: ConfirmRequest, signal: AbortSignal): Promise<{ outcome: Outcome; label: string }>;
  close(): void;
}

interface LiveDoorOptions {
  state: StateFolder;
  about: LiveAbout;
  /** The short form of a path. */
  show(path: string): string;
}

interface OpenQuestion {
  digest: string;
  take(answer: LiveAnswer): boolean;
}

/** A socket `live/SESSION.sock` in the state folder, for the user alone. */
export async function openLiveDoor({ state, about, show }: LiveDoorOptions): Promise<LiveDoor> {
  const watchers = new Set<JsonSocket>();
  let tail = emptyTail;
  const tell = (event: LiveEvent): void => {
    tail = tailAfter(tail, event);
    for (const watcher of watchers) watcher.send({ type: 'event', event });
  };
  const questions = showQuestions({ about, show, tell });
  const folder = await state.make('live');
  const listening = await listenInFolder(folder, `${about.session}.sock`, (watcher) => {
    watchers.add(watcher);
    watcher.onClose(() => watchers.delete(watcher));
    watcher.onMessage((message) => {
      if (message['type'] !== 'answer') return;
      const answer = answerIn(message);
      const taken = answer !== null && questions.take(answer);
      watcher.send({ type: 'answered', digest: message['digest'], taken });
    });
    watcher.send({ type: 'hello', about, tail });
  });
  return {
    event(event) {
      if (event.type !== 'call-ask') tell(event);
    },
    question: questions.ask,
    close() {
      listening.close();
      for (const watcher of watchers) watcher.close();
    },
  };
}

interface ShowQuestionsNeeds extends Pick<LiveDoorOptions, 'about' | 'show'> {
  tell(event: LiveEvent): void;
}

/** Shows a question at a time; an answer counts only with the digest of the question that is open. */
function showQuestions({ about, show, tell }: ShowQuestionsNeeds): {
  ask: LiveDoor['question'];
  take(answer: LiveAnswer): boolean;
} {
  let open: OpenQuestion | null = null;
  return {
    take: (answer) => open?.digest === answer.digest && open.take(answer),
    ask(request, signal) {
      const question = wordQuestion(request, { show, canRefuseForGood: true });
      const digest = digestOf(request, about.session);
      let by: 'here' | 'elsewhere' = 'here';
      return new Promise((resolve) => {
        open = {
          digest,
          take({ answer, ...beside }) {
            const chosen = question.answers[answer];
            if (!chosen) return false;
            by = 'elsewhere';
            open = null;
            resolve({ outcome: outcomeOf(chosen, beside), label: chosen.label });
            return true;
          },
        };
        const { callId, tool } = request;
        tell({ type: 'question-open', question: { digest, callId, tool, question } });
        const close = (): void => {
          if (open?.digest === digest) open = null;
          tell({ type: 'question-close', digest, by });
        };
        signal.addEventListener('abort', close, { once: true });
      });
    },
  };
}

function digestOf(request: ConfirmRequest, session: string): string {
  return createHash('sha256')
    .update(JSON.stringify([session, request]))
    .digest('hex');
}

function answerIn({ digest, answer, reason, written, limit }: JsonObject): LiveAnswer | null {
  if (typeof digest !== 'string' || typeof answer !== 'number') return null;
  return {
    digest,
    answer,
    reason: typeof reason === 'string' ? reason : undefined,
    written: typeof written === 'string' ? written : undefined,
    limit: limitIn(limit),
  };
}

function limitIn(limit: unknown): LiveAnswer['limit'] {
  if (typeof limit !== 'object' || limit === null) return null;
  const { uses, forMs } = limit as { uses?: unknown; forMs?: unknown };
  if (typeof uses === 'number' && Number.isInteger(uses) && uses > 0) return { uses };
  return typeof forMs === 'number' && forMs > 0 ? { forMs } : null;
}
