import { type Signal, useSignal } from '@preact/signals';
import type { ApprovalMode } from '@toolwright/core';
import { formatBytes, messageOf } from '@toolwright/core/front-end';
import type { PromptRequest } from '../../wire/wire.js';
import { ask } from '../state/client.js';
import { linkTo, readOnly, start } from '../state/store.js';
import { PromptBox } from './prompt-box.js';
import { safeText } from './safe-text.js';

type Attachment = NonNullable<PromptRequest['attachments']>[number] & { bytes: number };

interface ComposerProps {
  /** The session that goes on; none begins a conversation. */
  session?: string | undefined;
  isWorking: boolean;
}

/** The field for a prompt: files by `@`, attachments by drop and paste, the mode, and the way to stop. */
export function Composer({ session, isWorking }: ComposerProps) {
  const draft = useDraft(session);
  const isOver = useSignal(false);
  if (readOnly.value) return null;
  return (
    <form
      class={`composer${isOver.value ? ' over' : ''}`}
      aria-label="Prompt"
      onSubmit={(event) => {
        event.preventDefault();
        void draft.send();
      }}
      onDragOver={(event) => {
        event.preventDefault();
        isOver.value = true;
      }}
      onDragLeave={() => (isOver.value = false)}
      onDrop={(event) => {
        event.preventDefault();
        isOver.value = false;
        void draft.attach(event.dataTransfer?.files ?? []);
      }}
    >
      <PromptBox text={draft.text} onFiles={draft.attach} onSend={draft.send} isNew={session === undefined} />
      {draft.attached.value.length > 0 && <Attachments attached={draft.attached} />}
      <Tools draft={draft} session={session} isWorking={isWorking} />
      <p role="status" class="said">
        {draft.problem.value}
      </p>
    </form>
  );
}

/** A prompt that is being written, and how it should be worked on. */
interface Draft {
  text: Signal<string>;
  attached: Signal<Attachment[]>;
  /** Null: the mode in which the program was started. */
  mode: Signal<ApprovalMode | null>;
  isApart: Signal<boolean>;
  /** The reason why it could not be sent. */
  problem: Signal<string>;
  attach(files: Iterable<File>): Promise<void>;
  send(): Promise<void>;
}

function useDraft(session: string | undefined): Draft {
  const text = useSignal('');
  const attached = useSignal<Attachment[]>([]);
  const mode = useSignal<ApprovalMode | null>(null);
  const isApart = useSignal(false);
  const problem = useSignal('');

  const attach = async (files: Iterable<File>): Promise<void> => {
    for (const file of files) {
      const attachment = await attachmentOf(file);
      attached.value = [...attached.value, attachment];
    }
  };
  const send = async (): Promise<void> => {
    if (text.value.trim() === '' && attached.value.length === 0) return;
    const [sentText, sentFiles] = [text.value, attached.value];
    problem.value = '';
    text.value = '';
    attached.value = [];
    try {
      const { session: id } = await ask('prompt', {
        text: sentText,
        attachments: sentFiles.map(({ name, type, base64 }) => ({ name, type, base64 })),
        session,
        mode: mode.value || undefined,
        apart: isApart.value && session === undefined ? true : undefined,
      });
      if (id !== session) location.hash = linkTo('session', id);
    } catch (error) {
      // Hooks may take their time over it, and the user writes on meanwhile.
      text.value = text.value.trim() === '' ? sentText : `${sentText}\n${text.value}`;
      attached.value = [...sentFiles, ...attached.value];
      problem.value = messageOf(error);
    }
  };
  return { text, attached, mode, isApart, problem, attach, send };
}

function Attachments({ attached }: { attached: Signal<Attachment[]> }) {
  return (
    <ul class="attached" aria-label="Attachments">
      {attached.value.map(({ name, bytes }, index) => (
        <li>
          {safeText(name)} ({formatBytes(bytes)}){' '}
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
  );
}

function Tools({ draft, session, isWorking }: ComposerProps & { draft: Draft }) {
  return (
    <div class="tools">
      <ModeChoice mode={draft.mode} />
      {session === undefined && (
        <label>
          <input
            type="checkbox"
            checked={draft.isApart.value}
            onChange={({ currentTarget }) => (draft.isApart.value = currentTarget.checked)}
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
          onChange={({ currentTarget }) => void draft.attach(currentTarget.files ?? [])}
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
  );
}

function ModeChoice({ mode }: { mode: Signal<ApprovalMode | null> }) {
  return (
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
  );
}

async function attachmentOf(file: File): Promise<Attachment> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let binary = '';
  for (let at = 0; at < bytes.length; at += 0x8000)
    binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return { name: file.name || 'pasted', type: file.type, base64: btoa(binary), bytes: bytes.length };
}
