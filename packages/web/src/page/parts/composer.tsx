import { useSignal } from '@preact/signals';
import type { ApprovalMode } from '@toolwright/core';
import { useRef } from 'preact/hooks';
import type { PromptRequest } from '../../wire/wire.js';
import { ask } from '../state/client.js';
import { linkTo, readOnly, start } from '../state/store.js';
import { bytesText } from './format.js';
import { safeText } from './safe-text.js';

type Attachment = NonNullable<PromptRequest['attachments']>[number] & { bytes: number };

interface ComposerProps {
  /** The session that goes on; none begins a conversation. */
  session?: string | undefined;
  isWorking: boolean;
}

/** The field for a prompt: files by `@`, attachments by drop and paste, the mode, and the way to stop. */
export function Composer({ session, isWorking }: ComposerProps) {
  const text = useSignal('');
  const mode = useSignal<ApprovalMode | null>(null);
  const apart = useSignal(false);
  const attached = useSignal<Attachment[]>([]);
  const said = useSignal('');
  const isOver = useSignal(false);
  if (readOnly.value) return null;

  const take = async (files: Iterable<File>): Promise<void> => {
    for (const file of files) {
      const attachment = await attachmentOf(file);
      attached.value = [...attached.value, attachment];
    }
  };
  const send = async (): Promise<void> => {
    if (text.value.trim() === '' && attached.value.length === 0) return;
    const given = {
      text: text.value,
      attachments: attached.value.map(({ name, type, base64 }) => ({ name, type, base64 })),
    };
    const [kept, keptFiles] = [text.value, attached.value];
    said.value = '';
    text.value = '';
    attached.value = [];
    try {
      const { session: id } = await ask('prompt', {
        ...given,
        session,
        mode: mode.value || undefined,
        apart: apart.value && session === undefined ? true : undefined,
      });
      if (id !== session) location.hash = linkTo('session', id);
    } catch (error) {
      text.value = kept;
      attached.value = keptFiles;
      said.value = error instanceof Error ? error.message : String(error);
    }
  };
  return (
    <form
      class={`composer${isOver.value ? ' over' : ''}`}
      aria-label="Prompt"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
      onDragOver={(event) => {
        event.preventDefault();
        isOver.value = true;
      }}
      onDragLeave={() => (isOver.value = false)}
      onDrop={(event) => {
        event.preventDefault();
        isOver.value = false;
        void take(event.dataTransfer?.files ?? []);
      }}
    >
      <PromptBox text={text} onFiles={take} onSend={send} isNew={session === undefined} />
      {attached.value.length > 0 && (
        <ul class="attached" aria-label="Attachments">
          {attached.value.map(({ name, bytes }, index) => (
            <li>
              {safeText(name)} ({bytesText(bytes)}){' '}
              <button
                type="button"
                class="plain"
                aria-label={`Remove ${safeText(name)}`}
                onClick={() => (attached.value = attached.value.filter((_, at) => at !== index))}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
      <div class="tools">
        <label>
          Mode{' '}
          <select
            value={mode.value ?? start.value?.mode ?? 'default'}
            onChange={({ currentTarget }) => (mode.value = currentTarget.value as ApprovalMode)}
          >
            {['plan', 'default', 'auto-edit', 'yolo'].map((name) => (
              <option value={name}>{name}</option>
            ))}
          </select>
        </label>
        {session === undefined && (
          <label>
            <input
              type="checkbox"
              checked={apart.value}
              onChange={({ currentTarget }) => (apart.value = currentTarget.checked)}
            />{' '}
            work apart
          </label>
        )}
        <label class="button">
          Attach
          <input
            type="file"
            multiple
            class="unseen"
            onChange={({ currentTarget }) => void take(currentTarget.files ?? [])}
          />
        </label>
        <span class="grow" />
        {isWorking && session !== undefined && (
          <button type="button" onClick={() => void ask('prompt/cancel', { session })}>
            Cancel
          </button>
        )}
        <button type="submit" class="yes">
          Send
        </button>
      </div>
      <p role="status" class="said">
        {said.value}
      </p>
    </form>
  );
}

interface PromptBoxProps {
  text: { value: string };
  onFiles(files: Iterable<File>): Promise<void>;
  onSend(): Promise<void>;
  isNew: boolean;
}

const mention = /(?:^|[\s([{<])@([^\s@"']*)$/;

function PromptBox({ text, onFiles, onSend, isNew }: PromptBoxProps) {
  const box = useRef<HTMLTextAreaElement>(null);
  const found = useSignal<string[]>([]);
  const chosen = useSignal(0);
  const typed = (): string | undefined =>
    mention.exec(text.value.slice(0, box.current?.selectionStart ?? 0))?.[1];

  const look = async (): Promise<void> => {
    const begun = typed();
    if (begun === undefined) {
      found.value = [];
      return;
    }
    const files = await ask('list/files', { typed: begun }).catch(() => []);
    if (typed() !== begun) return;
    found.value = files.length === 1 && files[0] === begun ? [] : files;
    chosen.value = 0;
  };
  const insert = (path: string): void => {
    const cursor = box.current?.selectionStart ?? text.value.length;
    const before = text.value
      .slice(0, cursor)
      .replace(mention, (whole, begun: string) => `${whole.slice(0, whole.length - begun.length)}${path}`);
    const after = text.value.slice(cursor);
    text.value = `${before}${path.endsWith('/') ? '' : ' '}${after.trimStart()}`;
    found.value = [];
    box.current?.focus();
    if (path.endsWith('/')) setTimeout(() => void look());
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const count = found.value.length;
    if (count > 0 && ['ArrowDown', 'ArrowUp', 'Tab', 'Enter', 'Escape'].includes(event.key)) {
      event.preventDefault();
      if (event.key === 'ArrowDown') chosen.value = (chosen.value + 1) % count;
      else if (event.key === 'ArrowUp') chosen.value = (chosen.value + count - 1) % count;
      else if (event.key === 'Escape') found.value = [];
      else insert(found.value[chosen.value]!);
    } else if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      void onSend();
    }
  };
  return (
    <div class="prompt-box">
      <textarea
        ref={box}
        rows={3}
        aria-label={isNew ? 'A prompt for a new conversation' : 'A prompt for this conversation'}
        aria-haspopup="listbox"
        aria-controls="found-files"
        aria-autocomplete="list"
        aria-activedescendant={found.value.length > 0 ? `found-${chosen.value}` : undefined}
        placeholder="What should be done? @ names a file; Enter sends, Shift+Enter begins a line."
        value={text.value}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value;
          void look();
        }}
        onKeyDown={onKeyDown}
        onPaste={(event) => {
          const files = [...(event.clipboardData?.files ?? [])];
          if (files.length === 0) return;
          event.preventDefault();
          void onFiles(files);
        }}
      />
      <ul
        id="found-files"
        role="listbox"
        aria-label="Files"
        class={found.value.length > 0 ? 'found' : 'found none'}
      >
        {found.value.map((path, index) => (
          <li
            id={`found-${index}`}
            role="option"
            aria-selected={index === chosen.value}
            onClick={() => insert(path)}
          >
            {path}
          </li>
        ))}
      </ul>
    </div>
  );
}

async function attachmentOf(file: File): Promise<Attachment> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let binary = '';
  for (let at = 0; at < bytes.length; at += 0x8000)
    binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return { name: file.name || 'pasted', type: file.type, base64: btoa(binary), bytes: bytes.length };
}
