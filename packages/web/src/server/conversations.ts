import { type AbortReason, type Part, textOf } from '@toolwright/core';
import type { PromptRequest } from '../wire/wire.js';
import { Problem } from './http/answer-requests.js';
import type { WebAgent, WebNeeds } from './needs.js';

/** The conversations that this program runs for the page. What they say is seen through their doors, as that of any other. */
export interface Conversations {
  has(session: string): boolean;
  /** Gives the session's id as soon as it works on the prompt. */
  prompt(request: PromptRequest): Promise<string>;
  cancel(session: string): boolean;
  close(): Promise<void>;
}

interface OpenConversation {
  agent: WebAgent;
  /** Called when the user is asked something. */
  onQuestion(): void;
  running: AbortController | null;
  /** Prompts that came while it worked, taken in between two turns. */
  queued: QueuedPrompt[];
}

interface QueuedPrompt {
  parts: Part[];
  /** Called with null once it goes to the model, or is left, else with why a hook refused it. */
  onEnd(refused: string | null): void;
}

const MOST_ATTACHED_BYTES = 32 * 1024 * 1024;
const attachable = /^(image\/(png|jpeg|gif|webp)|application\/pdf)$/;

export function createConversations(needs: WebNeeds): Conversations {
  const open = new Map<string, OpenConversation>();

  async function conversationFor({ session, mode, apart }: PromptRequest): Promise<OpenConversation> {
    const known = session === undefined ? undefined : open.get(session);
    if (known) {
      if (mode) known.agent.permission.mode = mode;
      return known;
    }
    const asking = { onQuestion: (): void => undefined };
    const agent = await needs.openAgent({
      resume: session,
      mode,
      apart,
      onQuestion: () => asking.onQuestion(),
    });
    const made: OpenConversation = Object.assign(asking, { agent, running: null, queued: [] });
    open.set(agent.session.id, made);
    return made;
  }

  return {
    has: (session) => open.has(session),
    async prompt(request) {
      if (request.text.trim() === '' && !request.attachments?.length)
        throw new Problem('The prompt is empty.');
      const attached = (request.attachments ?? []).map(partOf);
      const conversation = await conversationFor(request);
      const problem = await begin(conversation, { text: request.text, attached }, needs);
      if (problem !== null) throw new Problem(problem);
      return conversation.agent.session.id;
    },
    cancel(session) {
      const conversation = open.get(session);
      if (!conversation?.running) return false;
      conversation.running.abort({ kind: 'user' } satisfies AbortReason);
      leaveQueue(conversation);
      return true;
    },
    async close() {
      for (const { agent, running, queued } of open.values()) {
        queued.splice(0);
        running?.abort({ kind: 'shutdown' } satisfies AbortReason);
        await agent.close();
      }
    },
  };
}

interface WrittenPrompt {
  text: string;
  attached: readonly Part[];
}

/**
 * Gives what keeps the prompt from being sent. A command of it may ask something: then the page must know the session to answer, so
 * the rest is done afterwards and a problem is told there.
 */
async function begin(
  conversation: OpenConversation,
  prompt: WrittenPrompt,
  needs: WebNeeds,
): Promise<string | null> {
  const { agent } = conversation;
  const asked = new Promise<'asked'>((resolve) => {
    conversation.onQuestion = () => resolve('asked');
  });
  const sent = send(conversation, prompt, needs);
  const first = await Promise.race([sent, asked]);
  if (first !== 'asked') return first;
  void sent.then(
    (problem) => problem !== null && agent.tell(problem),
    async (error) => agent.tell(await needs.report(error)),
  );
  return null;
}

/**
 * Queues what a prompt stands for, and begins with the queue where nothing works on it: then hooks are waited for, which may refuse it.
 * Null also where it was cancelled.
 */
async function send(
  conversation: OpenConversation,
  { text, attached }: WrittenPrompt,
  needs: WebNeeds,
): Promise<string | null> {
  const { agent, queued } = conversation;
  const making = new AbortController();
  conversation.running ??= making;
  const isFirst = conversation.running === making;
  try {
    const expanded = await needs.expandPrompt(text, agent, making.signal);
    if (making.signal.aborted) return null;
    if ('problem' in expanded) return expanded.problem;
    for (const note of expanded.notes) agent.tell(note);
    const parts = [...expanded.parts, ...attached];
    // Those that came while a command of the first one asked something come after it.
    if (isFirst) return new Promise((onEnd) => queued.unshift({ parts, onEnd }));
    queued.push({ parts, onEnd: (refused) => refused !== null && agent.tell(`Not sent: ${nameOf(parts)}`) });
    return null;
  } catch (error) {
    if (making.signal.aborted) return null;
    throw error;
  } finally {
    if (isFirst) conversation.running = null;
    if (!conversation.running) void workOnQueue(conversation, needs);
  }
}

/** Works on the first prompt of the queue, then on those that came meanwhile. */
async function workOnQueue(
  conversation: OpenConversation,
  { report }: Pick<WebNeeds, 'report'>,
): Promise<void> {
  const { agent, queued } = conversation;
  const first = queued.shift();
  if (!first) return;
  const running = new AbortController();
  conversation.running = running;
  const between = async () => queued.map((each) => ({ parts: each.parts, onEnd: leaving(each, queued) }));
  try {
    await agent.prompt(first.parts, running.signal, { between, onEnd: first.onEnd });
  } catch (error) {
    await report(error);
  } finally {
    first.onEnd(null);
    conversation.running = null;
  }
  await workOnQueue(conversation, { report });
}

function leaving(prompt: QueuedPrompt, queued: QueuedPrompt[]): QueuedPrompt['onEnd'] {
  return (refused) => {
    const at = queued.indexOf(prompt);
    if (at >= 0) queued.splice(at, 1);
    prompt.onEnd(refused);
  };
}

const LONGEST_NAMED = 200;

/** The first line of a prompt, by which whoever wrote it knows it again. */
function nameOf(parts: readonly Part[]): string {
  const [line = ''] = textOf([...parts])
    .trim()
    .split('\n');
  return line.slice(0, LONGEST_NAMED) || 'an attachment';
}

/** Prompts that were written before a cancel are not sent; those written after it are. */
function leaveQueue({ agent, queued }: OpenConversation): void {
  for (const { parts, onEnd } of queued.splice(0)) {
    agent.tell(`Not sent, because you cancelled: ${nameOf(parts)}`);
    onEnd(null);
  }
}

function partOf({ name, type, base64 }: NonNullable<PromptRequest['attachments']>[number]): Part {
  if (!attachable.test(type)) {
    const text = Buffer.from(base64, 'base64').toString('utf8');
    if (text.includes('\0'))
      throw new Problem(`${name} is not text, an image or a PDF, so it can't be attached.`);
    return { text: `\n\nThe user attached ${name}:\n\n${text}\n` };
  }
  if (base64.length > MOST_ATTACHED_BYTES) throw new Problem(`${name} is too large to attach.`);
  return { inlineData: { mimeType: type, data: base64 } };
}
