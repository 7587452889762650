import type { SavedEntry } from '@toolwright/core';
import { describeEffect } from '@toolwright/core/front-end';
import type { CallView } from '../../wire/wire.js';
import { NotFound } from './session-index.js';

/** Gives a call of a journal, whole. */
export function callViewOf(entries: readonly SavedEntry[], callId: string, workspace: string): CallView {
  const ofCall = entries.filter((entry) => 'callId' in entry && entry.callId === callId);
  const start = ofCall.find((entry) => entry.type === 'call-start');
  if (!start) return askedFor(entries, callId);
  const end = ofCall.find((entry) => entry.type === 'call-end');
  const decision = ofCall.findLast((entry) => entry.type === 'call-decision');
  const show = (path: string): string =>
    path.startsWith(`${workspace}/`) ? path.slice(workspace.length + 1) : path;
  const effects = decision?.effects ?? start.effects ?? [];
  return {
    args: start.args,
    display: end?.display ?? null,
    response: end ? responseText(end.response.response) : '',
    effects: effects.map((effect) => describeEffect(effect, show)),
  };
}

/** A call that has not begun: the model's message has what it asked for. */
function askedFor(entries: readonly SavedEntry[], callId: string): CallView {
  const call = entries
    .flatMap((entry) => (entry.type === 'message' ? entry.message.parts : []))
    .find(({ functionCall }) => functionCall?.id === callId)?.functionCall;
  if (!call) throw new NotFound(`There is no call ${callId} in this session.`);
  return { args: call.args ?? {}, display: null, response: '', effects: [] };
}

function responseText(response: Record<string, unknown> = {}): string {
  const { output, error } = response;
  const said = output ?? error;
  return typeof said === 'string' ? said : JSON.stringify(response, null, 2);
}
