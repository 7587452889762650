import { type Signal, useSignal } from '@preact/signals';
import type { ReviewHunk, ReviewItem } from '@toolwright/core';
import type { KeptView, ApartView as Waiting } from '../../wire/wire.js';
import { DiffChoice, DiffFile } from '../parts/diff.js';
import { plural } from '../parts/format.js';
import { Loaded } from '../parts/loaded.js';
import { safeText } from '../parts/safe-text.js';
import { ask } from '../state/client.js';
import { linkTo, readOnly } from '../state/store.js';

/** The part of each file that is kept: all of it, some hunks, or nothing. */
type Chosen = ReadonlyMap<string, 'whole' | number[]>;

export function ApartView({ parts: [id = ''] }: { parts: string[] }) {
  const done = useSignal<KeptView | null>(null);
  if (done.value?.waiting === 0) return <Done done={done.value} />;
  return (
    <Loaded
      title="Review"
      method="read/apart"
      given={{ id }}
      draw={(view, reload) => <ReviewPage key={view.review.digest} {...{ view, done, reload }} />}
    />
  );
}

interface ReviewProps {
  view: Waiting;
  done: Signal<KeptView | null>;
  reload(): void;
}

function ReviewPage({ view, done, reload }: ReviewProps) {
  const { id, review, names, refused, session, prompt } = view;
  const chosen = useSignal<Chosen>(new Map(review.items.map(({ path }) => [path, 'whole'])));
  const problem = useSignal('');
  const act = async (work: () => Promise<KeptView>): Promise<void> => {
    problem.value = '';
    try {
      done.value = await work();
      if (done.value.waiting > 0) reload();
    } catch (error) {
      problem.value = error instanceof Error ? error.message : String(error);
    }
  };
  const isAll = review.items.every(({ path }) => chosen.value.get(path) === 'whole');
  const keep = (): Promise<void> =>
    act(() => ask('undo/keep', { id, digest: review.digest, choice: isAll ? 'all' : [...chosen.value] }));
  const drop = (): Promise<void> => act(() => ask('undo/drop', { id, paths: 'all' }));
  return (
    <>
      <div class="title">
        <h1>Review: {safeText(prompt.slice(0, 100)) || `session apart ${id}`}</h1>
        <DiffChoice />
      </div>
      <p class="meta">
        {review.summary}. <a href={linkTo('session', session)}>The conversation</a>
      </p>
      {done.value?.text.map((line) => (
        <p class="note">{safeText(line)}</p>
      ))}
      {refused.map(({ path, why }) => (
        <p class="error">
          Can't be kept: {safeText(path)}: {safeText(why)}
        </p>
      ))}
      <div class="undo">
        <button type="button" class="yes" disabled={readOnly.value || chosen.value.size === 0} onClick={keep}>
          Keep {isAll ? 'all' : plural(chosen.value.size, 'file')}
        </button>
        <Drop isOff={readOnly.value} onDrop={drop} />
        <p role="status" class="said">
          {problem.value}
        </p>
      </div>
      {review.items.map((item) => (
        <ItemChoice
          key={item.path}
          item={item}
          id={id}
          name={names[item.path] ?? item.path}
          chosen={chosen}
        />
      ))}
    </>
  );
}

function Done({ done }: { done: KeptView }) {
  return (
    <>
      <h1>Reviewed</h1>
      {done.text.map((line) => (
        <p>{safeText(line)}</p>
      ))}
      <p>
        {done.change ? (
          <a href={linkTo('change', done.change)}>Look at the change, or undo it</a>
        ) : (
          <a href="#/changes">All changes</a>
        )}
      </p>
    </>
  );
}

/** Dropped work is gone for good, so it takes two presses. */
function Drop({ isOff, onDrop }: { isOff: boolean; onDrop(): Promise<void> }) {
  const isSure = useSignal(false);
  return isSure.value ? (
    <button type="button" class="no" disabled={isOff} onClick={onDrop} onBlur={() => (isSure.value = false)}>
      Drop it for good
    </button>
  ) : (
    <button type="button" disabled={isOff} onClick={() => (isSure.value = true)}>
      Drop all …
    </button>
  );
}

const changes = {
  create: 'create',
  modify: 'modify',
  delete: 'delete',
  symlink: 'symlink',
  mode: 'mode',
  'make-folder': 'create',
  'remove-folder': 'delete',
} as const;

function ItemChoice({
  item,
  id,
  name,
  chosen,
}: {
  item: ReviewItem;
  id: string;
  name: string;
  chosen: Signal<Chosen>;
}) {
  const hunks = useSignal<ReviewHunk[] | null>(null);
  const choice = chosen.value.get(item.path);
  const set = (next: 'whole' | number[] | undefined): void => {
    const map = new Map(chosen.value);
    if (next === undefined || next.length === 0) map.delete(item.path);
    else map.set(item.path, next);
    chosen.value = map;
  };
  const openHunks = async (): Promise<void> => {
    const found = await ask('read/hunks', { id, path: item.path }).catch(() => null);
    hunks.value = found ?? [];
  };
  const toggle = (index: number): void => {
    const all = (hunks.value ?? []).map((_, at) => at);
    const now = choice === 'whole' ? all : (choice ?? []);
    const next = now.includes(index)
      ? now.filter((at) => at !== index)
      : [...now, index].sort((left, right) => left - right);
    set(next.length === all.length ? 'whole' : next);
  };
  const entry = {
    path: name,
    change: changes[item.change],
    unified: item.unified,
    added: item.added,
    removed: item.removed,
  };
  return (
    <div class="review-item">
      <label class="keep">
        <input
          type="checkbox"
          checked={choice !== undefined}
          ref={(box) => void (box && (box.indeterminate = Array.isArray(choice)))}
          onChange={({ currentTarget }) => set(currentTarget.checked ? 'whole' : undefined)}
        />{' '}
        keep {safeText(name)}
      </label>
      {item.warnings.map((warning) => (
        <p class="error">{safeText(warning)}</p>
      ))}
      {hunks.value && hunks.value.length > 1 ? (
        <fieldset>
          <legend>Parts of {safeText(name)}</legend>
          {hunks.value.map((hunk, index) => (
            <div class="hunk">
              <label>
                <input
                  type="checkbox"
                  checked={choice === 'whole' || (choice?.includes(index) ?? false)}
                  onChange={() => toggle(index)}
                />{' '}
                keep part {index + 1}
              </label>
              <DiffFile
                file={{
                  ...entry,
                  path: `${name}, part ${index + 1}`,
                  unified: hunk.unified,
                  added: countOf(hunk, '+'),
                  removed: countOf(hunk, '-'),
                }}
              />
            </div>
          ))}
        </fieldset>
      ) : (
        <>
          {item.change === 'modify' && !hunks.value && (
            <button type="button" onClick={openHunks}>
              Choose parts
            </button>
          )}
          {hunks.value && <p class="meta">This file can only be kept as a whole.</p>}
          <DiffFile file={entry} />
        </>
      )}
    </div>
  );
}

function countOf(hunk: ReviewHunk, sign: string): number {
  return hunk.unified.split('\n').filter((line) => line.startsWith(sign)).length;
}
