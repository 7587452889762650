import { type Signal, useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { ask } from '../state/client.js';

interface PromptBoxProps {
  text: Signal<string>;
  onFiles(files: Iterable<File>): Promise<void>;
  onSend(): Promise<void>;
  isNew: boolean;
}

/** The text of a prompt; `@` and the beginning of a path offer the files that begin so. */
export function PromptBox({ text, onFiles, onSend, isNew }: PromptBoxProps) {
  const box = useRef<HTMLTextAreaElement>(null);
  const offer = useOfferedFiles(text, box);
  return (
    <div class="prompt-box">
      <textarea
        ref={box}
        rows={3}
        aria-label={isNew ? 'A prompt for a new conversation' : 'A prompt for this conversation'}
        aria-haspopup="listbox"
        aria-controls="found-files"
        aria-autocomplete="list"
        aria-activedescendant={offer.files.length > 0 ? `found-${offer.chosen}` : undefined}
        placeholder="What should be done? @ names a file; Enter sends, Shift+Enter begins a line."
        value={text.value}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value;
          void offer.search();
        }}
        onKeyDown={(event) => {
          if (offer.takesKey(event.key)) event.preventDefault();
          else if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
            event.preventDefault();
            void onSend();
          }
        }}
        onPaste={(event) => {
          const files = [...(event.clipboardData?.files ?? [])];
          if (files.length === 0) return;
          event.preventDefault();
          void onFiles(files);
        }}
      />
      <OfferedFileList offer={offer} />
    </div>
  );
}

/** The files that may complete the path before the cursor, and the one that Enter takes. */
interface OfferedFiles {
  files: readonly string[];
  chosen: number;
  search(): Promise<void>;
  insert(path: string): void;
  /** True where the key moved in the list, took a file from it or closed it. */
  takesKey(key: string): boolean;
}

const mention = /(?:^|[\s([{<])@([^\s@"']*)$/;

function useOfferedFiles(
  text: Signal<string>,
  box: { readonly current: HTMLTextAreaElement | null },
): OfferedFiles {
  const found = useSignal<string[]>([]);
  const chosen = useSignal(0);
  const pathBeforeCursor = (): string | undefined =>
    mention.exec(text.value.slice(0, box.current?.selectionStart ?? 0))?.[1];

  const search = async (): Promise<void> => {
    const typed = pathBeforeCursor();
    if (typed === undefined) {
      found.value = [];
      return;
    }
    const files = await ask('list/files', { typed }).catch(() => []);
    if (pathBeforeCursor() !== typed) return;
    found.value = files.length === 1 && files[0] === typed ? [] : files;
    chosen.value = 0;
  };
  const insert = (path: string): void => {
    text.value = withPath(text.value, path, box.current?.selectionStart ?? text.value.length);
    found.value = [];
    box.current?.focus();
    if (path.endsWith('/')) setTimeout(() => void search());
  };
  const takesKey = (key: string): boolean => {
    const count = found.value.length;
    if (count === 0) return false;
    if (key === 'ArrowDown') chosen.value = (chosen.value + 1) % count;
    else if (key === 'ArrowUp') chosen.value = (chosen.value + count - 1) % count;
    else if (key === 'Escape') found.value = [];
    else if (key === 'Tab' || key === 'Enter') insert(found.value[chosen.value]!);
    else return false;
    return true;
  };
  return { files: found.value, chosen: chosen.value, search, insert, takesKey };
}

/** The text with the path in the place of its beginning before the cursor. */
function withPath(text: string, path: string, cursor: number): string {
  const before = text
    .slice(0, cursor)
    .replace(mention, (whole, typed: string) => `${whole.slice(0, whole.length - typed.length)}${path}`);
  return `${before}${path.endsWith('/') ? '' : ' '}${text.slice(cursor).trimStart()}`;
}

function OfferedFileList({ offer: { files, chosen, insert } }: { offer: OfferedFiles }) {
  return (
    <ul id="found-files" role="listbox" aria-label="Files" class={files.length > 0 ? 'found' : 'found none'}>
      {files.map((path, index) => (
        <li id={`found-${index}`} role="option" aria-selected={index === chosen} onClick={() => insert(path)}>
          {path}
        </li>
      ))}
    </ul>
  );
}
