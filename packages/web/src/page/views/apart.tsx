import { type Signal, useSignal } from '@preact/signals';
import type { FileDiffEntry } from '@toolwright/core';
import { messageOf, plural, type ReviewHunk, type ReviewItem } from '@toolwright/core/front-end';
import type { KeptView, ApartView as Waiting } from '../../wire/wire.js';
import { DiffChoice, DiffFile } from '../parts/diff.js';
import { Loaded } from '../parts/loaded.js';
import { safeText } from '../parts/safe-text.js';
import { ask } from '../state/client.js';
import { linkTo, readOnly } from '../state/store.js';

/** The part of a file that is kept: all of it, or the hunks with these numbers. */
type Choice = 'whole' | number[];

/** The choice for each file; one that is not there is not kept. */
type Chosen = ReadonlyMap<string, Choice>;

export function ApartView({ parts: [id = ''] }: { parts: string[] }) {
  const done = useSignal<KeptView | null>(null);
  if (done.value?.waiting === 0) return <Done done={done.value} />;
  return (
    <Loaded
      title="Review"
      method="read/apart"
      given={{ id }}
      draw={(view, reload) => <ReviewPage key={view.review.digest} view={view} done={done} reload={reload} />}
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
      <KeepOrDrop view={view} done={done} reload={reload} chosen={chosen.value} />
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

function KeepOrDrop({ view: { id, review }, done, reload, chosen }: ReviewProps & { chosen: Chosen }) {
  const problem = useSignal('');
  const act = async (work: () => Promise<KeptView>): Promise<void> => {
    problem.value = '';
    try {
      done.value = await work();
      if (done.value.waiting > 0) reload();
    } catch (error) {
      problem.value = messageOf(error);
    }
  };
  const isAll = review.items.every(({ path }) => chosen.get(path) === 'whole');
  const keep = (): Promise<void> =>
    act(() => ask('undo/keep', { id, digest: review.digest, choice: isAll ? 'all' : [...chosen] }));
  const drop = (): Promise<void> => act(() => ask('undo/drop', { id, paths: 'all' }));
  return (
    <div class="undo">
      <button type="button" class="yes" disabled={readOnly.value || chosen.size === 0} onClick={keep}>
        Keep {isAll ? 'all' : plural(chosen.size, 'file')}
      </button>
      <Drop isOff={readOnly.value} onDrop={drop} />
      <p role="status" class="said">
        {problem.value}
      </p>
    </div>
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

interface ItemChoiceProps {
  item: ReviewItem;
  id: string;
  name: string;
  chosen: Signal<Chosen>;
}

function ItemChoice({ item, id, name, chosen }: ItemChoiceProps) {
  const hunks = useSignal<ReviewHunk[] | null>(null);
  const choice = chosen.value.get(item.path);
  const choose = (next: Choice | undefined): void => {
    const map = new Map(chosen.value);
    if (next === undefined || next.length === 0) map.delete(item.path);
    else map.set(item.path, next);
    chosen.value = map;
  };
  const openHunks = async (): Promise<void> => {
    hunks.value = (await ask('read/hunks', { id, path: item.path }).catch(() => null)) ?? [];
  };
  const file = {
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
          onChange={({ currentTarget }) => choose(currentTarget.checked ? 'whole' : undefined)}
        />{' '}
        keep {safeText(name)}
      </label>
      {item.warnings.map((warning) => (
        <p class="error">{safeText(warning)}</p>
      ))}
      {hunks.value && hunks.value.length > 1 ? (
        <HunkChoice hunks={hunks.value} file={file} choice={choice} choose={choose} />
      ) : (
        <>
          {item.change === 'modify' && !hunks.value && (
            <button type="button" onClick={openHunks}>
              Choose parts
            </button>
          )}
          {hunks.value && <p class="meta">This file can only be kept as a whole.</p>}
          <DiffFile file={file} />
        </>
      )}
    </div>
  );
}

interface HunkChoiceProps {
  hunks: readonly ReviewHunk[];
  file: FileDiffEntry;
  choice: Choice | undefined;
  choose(next: Choice): void;
}

function HunkChoice({ hunks, file, choice, choose }: HunkChoiceProps) {
  const toggle = (index: number): void => {
    const kept = choice === 'whole' ? hunks.map((_, at) => at) : (choice ?? []);
    const next = kept.includes(index)
      ? kept.filter((at) => at !== index)
      : [...kept, index].sort((left, right) => left - right);
    choose(next.length === hunks.length ? 'whole' : next);
  };
  return (
    <fieldset>
      <legend>Parts of {safeText(file.path)}</legend>
      {hunks.map((hunk, index) => (
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
              ...file,
              path: `${file.path}, part ${index + 1}`,
              unified: hunk.unified,
              added: countOf(hunk, '+'),
              removed: countOf(hunk, '-'),
            }}
          />
        </div>
      ))}
    </fieldset>
  );
}

function countOf(hunk: ReviewHunk, sign: string): number {
  return hunk.unified.split('\n').filter((line) => line.startsWith(sign)).length;
}
