import type { McpElicitAnswer, McpElicitRequest } from '@toolwright/core';
import { addressQuestion, answerOf, type FieldValue, fieldQuestion, fieldsOf } from '../app/elicitation.js';
import type { Ask } from '../app/question.js';

/** Asks the user for what a server wants to know, one field after the other. */
export async function elicit(
  request: McpElicitRequest,
  ask: Ask,
  signal: AbortSignal,
): Promise<McpElicitAnswer> {
  if (request.kind === 'url') {
    const reply = await ask(addressQuestion(request, request.url), signal);
    if (!reply) return { action: 'cancel' };
    return { action: reply.key === 'y' ? 'accept' : 'decline' };
  }
  const content: Record<string, FieldValue> = {};
  for (const field of fieldsOf(request.schema)) {
    let problem: string | null = null;
    do {
      const reply = await ask(fieldQuestion(request, field, problem), signal);
      if (!reply) return { action: 'cancel' };
      if (reply.key === 'n') return { action: 'decline' };
      const answered = answerOf(field, reply);
      problem = typeof answered === 'object' && 'problem' in answered ? answered.problem : null;
      if (typeof answered === 'object' && 'value' in answered) content[field.name] = answered.value;
    } while (problem !== null);
  }
  return { action: 'accept', content };
}

/** Asks on the terminal, in a run that is not a conversation. */
export async function elicitOnTerminal(
  request: McpElicitRequest,
  signal: AbortSignal,
): Promise<McpElicitAnswer> {
  const { withTerminal } = await import('./ask-on-terminal.js');
  return withTerminal((front) => elicit(request, front.ask, signal));
}

export function signInText({ server, url }: { server: string; url: string }): string {
  return `To sign in to the MCP server "${server}", open this address in a browser on this machine:\n${url}`;
}
