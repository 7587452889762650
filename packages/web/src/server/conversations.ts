import type { AbortReason, Part } from '@toolwright/core';
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
  queued: Part[][];
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
      const running = open.get(session)?.running;
      running?.abort({ kind: 'user' } satisfies AbortReason);
      return running !== undefined && running !== null;
    },
    async close() {
      for (const { agent, running } of open.values()) {
        running?.abort({ kind: 'shutdown' } satisfies AbortReason);
        await agent.close();
      }
    },
  };
}

/**
 * Gives what keeps the prompt from being sent. A command of it may ask something: then the page must know the session to answer, so
 * the rest is done afterwards and a problem is told there.
 */
async function begin(
  conversation: OpenConversation,
  { text, attached }: { text: string; attached: readonly Part[] },
  needs: WebNeeds,
): Promise<string | null> {
  const { agent } = conversation;
  const making = new AbortController();
  const asked = new Promise<'asked'>((resolve) => {
    conversation.onQuestion = () => resolve('asked');
  });
  const isFirst = conversation.running === null;
  if (isFirst) conversation.running = making;
  const finished = needs
    .expandPrompt(text, agent, making.signal)
    .finally(() => {
      if (conversation.running === making) conversation.running = null;
    })
    .then((expanded) => {
      if ('problem' in expanded) {
        // Prompts that came meanwhile have their turn.
        const next = conversation.running ? [] : conversation.queued.splice(0).flat();
        if (next.length > 0) void work(conversation, next, needs);
        return expanded.problem;
      }
      for (const note of expanded.notes) agent.tell(note);
      const prompt = [...expanded.parts, ...attached];
      if (conversation.running) conversation.queued.push(prompt);
      else void work(conversation, prompt, needs);
      return null;
    });
  const first = await Promise.race([finished, asked]);
  if (first !== 'asked') return first;
  void finished.then(
    (problem) => problem !== null && agent.tell(problem),
    async (error) => !making.signal.aborted && agent.tell(await needs.report(error)),
  );
  return null;
}

/** Works on a prompt, then on those that came meanwhile. */
async function work(
  conversation: OpenConversation,
  parts: Part[],
  { report }: Pick<WebNeeds, 'report'>,
): Promise<void> {
  const { agent, queued } = conversation;
  const running = new AbortController();
  conversation.running = running;
  try {
    await agent.prompt(parts, running.signal, {
      between: async () => queued.splice(0).map((each) => ({ parts: each })),
    });
  } catch (error) {
    await report(error);
  } finally {
    conversation.running = null;
  }
  const next = queued.splice(0).flat();
  if (next.length > 0 && !running.signal.aborted) await work(conversation, next, { report });
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
