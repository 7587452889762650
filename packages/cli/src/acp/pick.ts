import type { PermissionOption } from '@agentclientprotocol/sdk';
import type { Front } from '../ui/front.js';
import { type Editor, requestPermission } from './ask.js';
import { escaped } from './updates/markdown.js';
import { textContent } from './updates/tool-call.js';

/** An editor shows options as buttons. */
const MOST_OPTIONS = 20;
const NONE = 'none';

/** A list to choose from, as options of a permission request; what must be typed can't be chosen. */
export function pickInEditor(editor: Editor): Front['pick'] {
  let asked = 0;
  return async (spec, { signal }) => {
    const { title, about, items, empty } = spec;
    const toolCallId = `choice-${++asked}`;
    const { outbox } = editor;
    const sentence = items.length === 0 ? empty : about;
    const content = sentence ? [textContent(escaped(sentence))] : [];
    const shown = { toolCallId, title, content, kind: 'other' as const };
    if (items.length === 0) {
      outbox.send({ sessionUpdate: 'tool_call', ...shown, status: 'completed' });
      return null;
    }
    outbox.send({ sessionUpdate: 'tool_call', ...shown, status: 'pending' });
    const options: PermissionOption[] = items.slice(0, MOST_OPTIONS).map(({ id, label, detail }) => ({
      optionId: id,
      kind: 'allow_once',
      name: detail ? `${label} (${detail})` : label,
    }));
    options.push({ optionId: NONE, kind: 'reject_once', name: 'none of these' });
    const answered = await requestPermission(
      editor,
      { toolCall: { ...shown, status: 'pending' }, options },
      signal,
    );
    const chosen =
      answered.outcome === 'selected' ? items.find(({ id }) => id === answered.optionId) : undefined;
    outbox.send({ sessionUpdate: 'tool_call_update', toolCallId, status: chosen ? 'completed' : 'failed' });
    return chosen ? { id: chosen.id, text: '', dial: spec.dial?.value ?? '' } : null;
  };
}
