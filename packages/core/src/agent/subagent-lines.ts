import type { OnUpdate } from '../tools/tools.js';
import type { AgentEvent } from './events.js';

/** The work of a subagent as lines of text: live in the block of its call, and afterwards in its display. */
export interface SubagentLines {
  hear(event: AgentEvent): void;
  /** A line for each call that ended. */
  readonly did: readonly string[];
}

const LINE_LENGTH = 160;
const MOST_LINES = 200;

export function createSubagentLines(onUpdate: OnUpdate): SubagentLines {
  const running = new Map<string, { tool: string; description: string }>();
  const did: string[] = [];
  let said = '';
  const say = (line: string): void => onUpdate(`${line}\n`);
  const tellSaid = (): void => {
    if (said.trim() !== '') say(clipped(said));
    said = '';
  };
  return {
    did,
    hear(event) {
      switch (event.type) {
        case 'text-delta':
          if (said.length < LINE_LENGTH) said += event.text;
          return;
        case 'call-start':
          tellSaid();
          running.set(event.callId, event);
          return say(clipped(event.description));
        case 'call-update':
          // A line of a further agent that works for this one is indented.
          if (running.get(event.callId)?.tool === 'agent') onUpdate(event.delta.replace(/^(?=.)/gm, '  '));
          return;
        case 'call-end': {
          const how = event.error ? `failed: ${event.error.message}` : displayed(event.display);
          if (how !== '') say(`  ${clipped(how)}`);
          const { description = event.tool } = running.get(event.callId) ?? {};
          running.delete(event.callId);
          if (did.length < MOST_LINES) did.push(clipped(how === '' ? description : `${description}: ${how}`));
          return;
        }
        case 'notice':
          return say(event.message);
      }
    },
  };
}

function displayed(display: unknown): string {
  return typeof display === 'string' ? firstLine(display) : '';
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0] ?? '';
}

function clipped(text: string): string {
  const line = firstLine(text);
  return line.length > LINE_LENGTH ? `${line.slice(0, LINE_LENGTH - 1)}…` : line;
}
