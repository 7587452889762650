import { ended } from './safe-text.js';
import { type Block, MAX_BLOCKS, type NewBlock, type State } from './state.js';

/** Adds something finished; while an answer is coming in it waits, so that the answer stays in one piece. */
export function withBlock(state: State, block: NewBlock): State {
  if (state.answer) return { ...state, held: [...state.held, block] };
  const added = { ...block, id: state.nextId } as Block;
  return { ...state, nextId: state.nextId + 1, blocks: [...state.blocks, added].slice(-MAX_BLOCKS) };
}

/** Ends the answer that was coming in, and adds what waited for that. */
export function withoutAnswer(state: State): State {
  const { answer, held } = state;
  if (!answer) return state;
  const text = ended(answer);
  const closed: State = {
    ...state,
    answer: null,
    held: [],
    blocks: [...state.blocks, { id: answer.id, kind: 'answer' as const, text }].slice(-MAX_BLOCKS),
  };
  return held.reduce(withBlock, closed);
}
