import { useSignal } from '@preact/signals';
import { formatBytes, plural } from '@toolwright/core/front-end';
import { useEffect } from 'preact/hooks';
import type { SessionRow } from '../../wire/wire.js';
import { Loaded } from '../parts/loaded.js';
import { momentText } from '../parts/moment.js';
import { safeText } from '../parts/safe-text.js';
import { VirtualList } from '../parts/virtual-list.js';
import { linkTo, live, start } from '../state/store.js';

const PAUSE_MS = 200;

export function SessionsView() {
  const typed = useSignal('');
  const search = useSignal('');
  const onlyHere = useSignal(false);
  useEffect(() => {
    const timer = setTimeout(() => (search.value = typed.value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed.value]);
  return (
    <>
      <h1>Sessions</h1>
      <div class="filters">
        <input
          type="search"
          aria-label="Search prompts, files, commands and answers"
          placeholder="Search prompts, files, commands, answers  ( / )"
          value={typed.value}
          onInput={({ currentTarget }) => (typed.value = currentTarget.value)}
        />
        <label>
          <input
            type="checkbox"
            checked={onlyHere.value}
            onChange={({ currentTarget }) => (onlyHere.value = currentTarget.checked)}
          />{' '}
          only this workspace
        </label>
      </div>
      <Loaded
        method="list/sessions"
        given={{ search: search.value }}
        draw={(rows) => (
          <Rows
            rows={
              onlyHere.value ? rows.filter(({ workspace }) => workspace === start.value?.workspace) : rows
            }
            isSearch={search.value !== ''}
          />
        )}
      />
    </>
  );
}

function Rows({ rows, isSearch }: { rows: SessionRow[]; isSearch: boolean }) {
  if (rows.length === 0)
    return (
      <p class="empty">{isSearch ? 'No session has all of these words.' : 'There are no sessions yet.'}</p>
    );
  const running = new Set(live.value.map(({ session }) => session));
  return (
    <>
      <p class="count" role="status">
        {plural(rows.length, 'session')}
      </p>
      <VirtualList
        items={rows}
        label="Sessions"
        keyOf={({ id }) => id}
        estimate={({ hits }) => 70 + (hits?.length ?? 0) * 24}
        draw={(row) => <Row row={row} isLive={running.has(row.id)} />}
      />
    </>
  );
}

function Row({ row, isLive }: { row: SessionRow; isLive: boolean }) {
  const { id, title, endedAt, workspace, front, model, messages, calls, bytes, hits } = row;
  return (
    <div class="entry">
      <a class="card" href={linkTo('session', id)}>
        <strong>{safeText(title) || `(${front})`}</strong>
        {isLive && <span class="state">runs now</span>}
        <span class="meta">
          <time dateTime={endedAt}>{momentText(endedAt)}</time> · {plural(messages, 'message')} ·{' '}
          {plural(calls, 'call')} · {formatBytes(bytes)} · {safeText(model ?? front)} · {safeText(workspace)}
        </span>
      </a>
      {hits && (
        <ul class="hits">
          {hits.map((hit) => (
            <li>
              <a href={hit.callId ? linkTo('session', id, hit.callId) : linkTo('session', id)}>
                <span class="tag">{hit.in}</span> {safeText(hit.text)}
              </a>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
