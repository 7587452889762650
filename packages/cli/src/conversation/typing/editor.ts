import type { State } from '@toolwright/core';
import { createIds, editText } from '@toolwright/core/front-end';
import { inputOf } from '../../app/input-line.js';
import { unfoldedText } from '../../app/typing/paste.js';
import type { Front } from '../../ui/front.js';

export interface EditorNeeds {
  front: Front;
  state: State;
  /** A command line. */
  editor: string;
  signal: AbortSignal;
}

/** Ctrl+G: the prompt in the user's editor; what is saved there stands in the line afterwards. */
export async function editPrompt({ front, state, editor, signal }: EditorNeeds): Promise<void> {
  const { input, typing } = front.state;
  const text = unfoldedText(input.text, typing.folded);
  const request = { name: 'prompt.md', text, editor, state, ids: createIds(), signal };
  const edited = await front.lend(() => editText(request));
  if (edited.kind === 'failed')
    return front.dispatch({ type: 'hinted', hint: `${edited.message} The line is unchanged.` });
  if (edited.kind === 'written')
    front.dispatch({ type: 'line-replaced', input: inputOf(edited.text.replace(/\n+$/, '')) });
}
