/** A key as the conversation knows it, whatever bytes the terminal sends for it. */
export type Key =
  | { name: 'text'; text: string }
  /** Lines end with a newline. */
  | { name: 'paste'; text: string }
  | { name: NamedKey };

export type NamedKey =
  | 'enter'
  | 'newline'
  | 'tab'
  | 'escape'
  | 'interrupt'
  | 'end-of-input'
  | 'suspend'
  | 'clear-screen'
  | 'unfold'
  | 'backspace'
  | 'delete'
  | 'erase-word'
  | 'erase-to-start'
  | 'erase-to-end'
  | 'erase-word-right'
  | 'yank'
  | 'yank-earlier'
  | 'undo'
  | 'search-history'
  | 'open-editor'
  | 'paste-image'
  | 'next-mode'
  | 'page-up'
  | 'page-down'
  | 'left'
  | 'right'
  | 'up'
  | 'down'
  | 'word-left'
  | 'word-right'
  | 'home'
  | 'end';
