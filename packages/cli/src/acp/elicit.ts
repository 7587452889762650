import type { CreateElicitationRequest, CreateElicitationResponse } from '@agentclientprotocol/sdk';
import type { McpElicitAnswer, McpElicitRequest } from '@toolwright/core';
import { createIds } from '@toolwright/core/front-end';
import { whoAsks } from '../app/elicitation.js';
import type { Ask } from '../app/question.js';
import { elicit } from '../ask/elicit.js';
import type { Editor } from './ask.js';

/** Passes the question of an MCP server on: as a form where the editor has forms, else as answers to choose. */
export async function elicitInEditor(
  request: McpElicitRequest,
  { editor, ask }: { editor: Editor; ask: Ask },
  signal: AbortSignal,
): Promise<McpElicitAnswer> {
  const { elicitation } = editor.capabilities;
  const message = `${whoAsks(request.server)}: ${request.message}`;
  if (request.kind === 'form' && elicitation?.form)
    return answerOf(await send(editor, { mode: 'form', message, requestedSchema: request.schema }, signal));
  if (request.kind === 'url' && elicitation?.url) {
    const { url } = request;
    const elicitationId = createIds().next();
    return answerOf(await send(editor, { mode: 'url', message, url, elicitationId }, signal));
  }
  return elicit(request, ask, signal);
}

/** Lets the user rewrite a proposal; null when they would rather not. */
export async function askForText(
  editor: Editor,
  { label, untrusted, toolCallId }: { label: string; untrusted: string; toolCallId: string },
  signal: AbortSignal,
): Promise<string | null> {
  const requestedSchema = {
    type: 'object',
    properties: { text: { type: 'string', title: label, default: untrusted } },
    required: ['text'],
  };
  const answer = await send(editor, { mode: 'form', message: label, requestedSchema, toolCallId }, signal);
  const text = answer?.action === 'accept' ? contentOf(answer)['text'] : undefined;
  return typeof text === 'string' ? text : null;
}

/** Null where the editor could not ask. */
async function send(
  { client, sessionId, outbox }: Editor,
  request: object,
  signal: AbortSignal,
): Promise<CreateElicitationResponse | null> {
  await outbox.flush();
  try {
    const params = { sessionId, ...request } as CreateElicitationRequest;
    return await client.request('elicitation/create', params, signal);
  } catch {
    return null;
  }
}

type Content = Record<string, string | number | boolean | string[]>;

function contentOf(answer: CreateElicitationResponse): Content {
  const content = 'content' in answer ? answer.content : null;
  return typeof content === 'object' && content !== null ? (content as Content) : {};
}

function answerOf(answer: CreateElicitationResponse | null): McpElicitAnswer {
  if (answer?.action === 'accept') return { action: 'accept', content: contentOf(answer) };
  return { action: answer?.action === 'decline' ? 'decline' : 'cancel' };
}
