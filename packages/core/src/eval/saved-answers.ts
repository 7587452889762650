import { join } from 'node:path';
import type { Message } from '@toolwright/machine/base/content.js';
import { SettingsError } from '@toolwright/machine/base/errors.js';
import { isJsonObject } from '@toolwright/machine/base/json.js';
import { readJsonLines } from '@toolwright/machine/host/state/append-file.js';
import { replaceFile } from '@toolwright/machine/host/state/replace-file.js';
import type { ModelClient, ModelEvent, RawCall, Usage } from '../model/model.js';
import { ModelError, withStream } from '../model/model.js';
import type { EvalTask } from './task.js';

/** An answer of a model as a line of `answers.jsonl` beside a task. */
interface SavedAnswer {
  /** Texts that the tools must have given just before: without them the answer stands on nothing. */
  needs?: string[];
  text?: string;
  calls?: { name: string; arguments: Record<string, unknown> }[];
  usage?: Usage;
}

const FILE = 'answers.jsonl';

/** A model that answers as it was saved, and the sentences on what its answers count on and the tools did not give. */
interface SavedModel {
  client: ModelClient;
  unmet: string[];
}

/** Makes a model that gives the answers which are kept beside the task, one after the other. */
export async function savedModel({ folder, name }: EvalTask): Promise<SavedModel> {
  const answers: SavedAnswer[] = [];
  for await (const { value } of readJsonLines(join(folder, FILE)))
    if (isJsonObject(value)) answers.push(value);
  if (answers.length === 0)
    throw new SettingsError(`The task ${name} has no ${FILE}: run it with a model and --save-answers first.`);
  const unmet: string[] = [];
  let given = 0;
  const client: ModelClient = {
    provider: 'recorded',
    model: 'recorded',
    async *stream({ messages }): AsyncGenerator<ModelEvent> {
      const answer = answers[given++];
      if (!answer) throw new ModelError('protocol', `${FILE} of ${name} has no further answer.`);
      const told = resultsIn(messages.at(-1));
      for (const text of answer.needs ?? [])
        if (!told.includes(text))
          unmet.push(`the tools did not give "${text}", which answer ${given} relies on`);
      yield* eventsOf(answer, given);
    },
  };
  return { client, unmet };
}

/** The words that the tools gave, as the model gets them. */
function resultsIn(message: Message | undefined): string {
  const responses = message?.parts.map(({ functionResponse }) => functionResponse?.response ?? {}) ?? [];
  return responses.flatMap((response) => Object.values(response).map(String)).join('\n');
}

function eventsOf({ text, calls = [], usage }: SavedAnswer, number: number): ModelEvent[] {
  const made: RawCall[] = calls.map((call, index) => ({ id: `call_${number}_${index + 1}`, ...call }));
  return [
    ...(text === undefined ? [] : [{ type: 'text-delta' as const, text }]),
    ...made.map((call) => ({ type: 'call' as const, call })),
    ...(usage ? [{ type: 'usage' as const, usage }] : []),
    {
      type: 'finish',
      reason: made.length > 0 ? 'calls' : 'stop',
      parts: [
        ...(text === undefined ? [] : [{ text }]),
        ...made.map(({ id, name, arguments: args }) => ({
          functionCall: { id, name, args: args as Record<string, unknown> },
        })),
      ],
    },
  ];
}

/** Gathers the answers of a model, to be kept beside the task. */
export function keepAnswers(client: ModelClient, kept: SavedAnswer[]): ModelClient {
  return withStream(client, async function* (request, signal): AsyncGenerator<ModelEvent> {
    const answer: SavedAnswer = {};
    for await (const event of client.stream(request, signal)) {
      if (event.type === 'text-delta') answer.text = (answer.text ?? '') + event.text;
      if (event.type === 'usage') answer.usage = event.usage;
      if (event.type === 'call' && typeof event.call.arguments === 'object')
        (answer.calls ??= []).push({ name: event.call.name, arguments: event.call.arguments });
      yield event;
    }
    kept.push(answer);
  });
}

export async function saveAnswers({ folder }: EvalTask, answers: readonly SavedAnswer[]): Promise<void> {
  const lines = answers.map((answer) => `${JSON.stringify(answer)}\n`);
  await replaceFile(join(folder, FILE), lines.join(''), 0o644);
}
