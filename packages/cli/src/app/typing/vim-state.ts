/** The state of vim's keys. */
export interface VimState {
  mode: 'insert' | 'normal';
  /** Keys of a command that is not complete yet. */
  pending: string;
  /** The last `f`, `t`, `F` or `T` with its character. */
  found: string;
  /** The last change, as it was typed, for `.`. */
  repeat: string;
}

export const freshVim: VimState = { mode: 'insert', pending: '', found: '', repeat: '' };
