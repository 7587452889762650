import { useSignal } from '@preact/signals';
import { messageOf } from '@toolwright/core/front-end';
import { useEffect } from 'preact/hooks';
import type { ChangeView as Change, UndoView } from '../../wire/wire.js';
import { Diff, DiffChoice } from '../parts/diff.js';
import { Loaded } from '../parts/loaded.js';
import { momentText } from '../parts/moment.js';
import { safeText } from '../parts/safe-text.js';
import { ask } from '../state/client.js';
import { linkTo, readOnly } from '../state/store.js';

export function ChangeView({ parts: [id = ''] }: { parts: string[] }) {
  return (
    <Loaded
      title="Change"
      method="read/change"
      given={{ id }}
      draw={(view, reload) => <Shown view={view} reload={reload} />}
    />
  );
}

function Shown({ view, reload }: { view: Change; reload(): void }) {
  const { row, diff, images } = view;
  return (
    <>
      <div class="title">
        <h1>{row.files.slice(0, 3).map(safeText).join(', ') || row.summary}</h1>
        <DiffChoice />
      </div>
      <p class="meta">
        <time dateTime={row.at}>{momentText(row.at)}</time> · {row.summary} · asked for by{' '}
        <a href={row.callId ? linkTo('session', row.session, row.callId) : linkTo('session', row.session)}>
          {safeText(row.by)}
        </a>
        {row.undoes && (
          <>
            {' '}
            · takes back <a href={linkTo('change', row.undoes)}>an earlier change</a>
          </>
        )}
        {row.undoneBy && (
          <>
            {' '}
            · taken back by <a href={linkTo('change', row.undoneBy)}>a later change</a>
          </>
        )}
      </p>
      {row.command && <pre class="output">{safeText(row.command)}</pre>}
      <Undo view={view} reload={reload} />
      <Diff
        diff={diff}
        beside={({ path }) => (images[path] ? <Pictures id={row.id} path={images[path]} /> : null)}
      />
    </>
  );
}

function Undo({ view: { row, undo }, reload }: { view: Change; reload(): void }) {
  const result = useSignal<UndoView | null>(null);
  const problem = useSignal('');
  const isRunning = useSignal(false);
  const run = async (): Promise<void> => {
    isRunning.value = true;
    problem.value = '';
    try {
      result.value = await ask('undo', { id: row.id });
      if (result.value.state === 'undone') reload();
    } catch (error) {
      problem.value = messageOf(error);
    }
    isRunning.value = false;
  };
  const made = result.value?.id;
  return (
    <section class="undo" aria-label="Undo">
      <button
        type="button"
        class="yes"
        disabled={readOnly.value || isRunning.value || undo.state !== 'ready'}
        onClick={run}
      >
        {row.undoes ? 'Redo: take this undo back' : 'Undo this change'}
      </button>
      <p role="status" class="said">
        {problem.value ||
          result.value?.text ||
          (undo.state === 'ready'
            ? 'Every file is as this change left it: it can be taken back whole.'
            : undo.reason)}{' '}
        {made && <a href={linkTo('change', made)}>Look at the undo, or take it back</a>}
      </p>
      {undo.state === 'refused' && undo.diff && undo.diff.files.length > 0 && (
        <details>
          <summary>What was changed since</summary>
          <Diff diff={undo.diff} />
        </details>
      )}
    </section>
  );
}

function Pictures({ id, path }: { id: string; path: string }) {
  return (
    <div class="pictures">
      <Picture id={id} path={path} side="before" />
      <Picture id={id} path={path} side="after" />
    </div>
  );
}

function Picture({ id, path, side }: { id: string; path: string; side: 'before' | 'after' }) {
  const url = useSignal<string | null>(null);
  const said = useSignal('…');
  useEffect(() => {
    let made: string | null = null;
    void ask('read/image', { id, path, side }).then(
      (image) => {
        if (!image) {
          said.value = 'none';
          return;
        }
        const bytes = Uint8Array.from(atob(image.base64), (unit) => unit.charCodeAt(0));
        made = URL.createObjectURL(new Blob([bytes], { type: image.type }));
        url.value = made;
      },
      () => (said.value = 'could not be read'),
    );
    return () => {
      if (made) URL.revokeObjectURL(made);
    };
  }, [id, path, side]);
  return (
    <figure>
      <figcaption>{side}</figcaption>
      {url.value ? (
        <img src={url.value} alt={`${safeText(path)} ${side} the change`} />
      ) : (
        <p class="empty">{said.value}</p>
      )}
    </figure>
  );
}
