import { formatBytes, plural } from '@toolwright/core/front-end';
import type { ApartRow, ChangeRow } from '../../wire/wire.js';
import { Loaded } from '../parts/loaded.js';
import { momentText } from '../parts/moment.js';
import { safeText } from '../parts/safe-text.js';
import { VirtualList } from '../parts/virtual-list.js';
import { linkTo } from '../state/store.js';

export function ChangesView() {
  return (
    <>
      <h1>Changes</h1>
      <Loaded
        method="list/apart"
        given={{}}
        draw={(rows) => (rows.length > 0 ? <Apart rows={rows} /> : null)}
      />
      <h2>Of this workspace</h2>
      <Loaded
        method="list/changes"
        given={{}}
        draw={(rows) =>
          rows.length === 0 ? (
            <p class="empty">No tool has changed a file of this workspace yet.</p>
          ) : (
            <VirtualList
              items={rows}
              label="Changes"
              keyOf={({ id }) => id}
              estimate={() => 76}
              draw={(row) => <Change row={row} />}
            />
          )
        }
      />
    </>
  );
}

function Change({ row }: { row: ChangeRow }) {
  const { id, at, summary, files, by, command, undoneBy, undoes, apart } = row;
  return (
    <div class="entry">
      <a class={`card${undoneBy ? ' undone' : ''}`} href={linkTo('change', id)}>
        <strong>{files.slice(0, 4).map(safeText).join(', ') || summary}</strong>
        {undoneBy && <span class="state">undone</span>}
        {undoes && <span class="state">an undo</span>}
        {apart && <span class="state">apart</span>}
        <span class="meta">
          <time dateTime={at}>{momentText(at)}</time> · {safeText(by)} · {summary}
          {command ? ` · ${safeText(command.slice(0, 100))}` : ''}
        </span>
      </a>
    </div>
  );
}

function Apart({ rows }: { rows: ApartRow[] }) {
  return (
    <section aria-labelledby="waiting-apart">
      <h2 id="waiting-apart">Sessions waiting for review</h2>
      <ul class="cards">
        {rows.map(({ id, prompt, files, bytes, startedAt, heldBy, problem, isHere, workspace }) => (
          <li key={id}>
            {isHere && !problem && !heldBy ? (
              <a class="card asks" href={linkTo('apart', id)}>
                <strong>{safeText(prompt) || `Session apart ${id}`}</strong>
                <span class="meta">
                  {momentText(startedAt)} · {plural(files, 'entry').replace('entrys', 'entries')} ·{' '}
                  {formatBytes(bytes)}
                </span>
              </a>
            ) : (
              <div class="card">
                <strong>{safeText(prompt) || `Session apart ${id}`}</strong>
                <span class="meta">
                  {safeText(
                    problem ??
                      (heldBy ? `In use by ${heldBy}` : `In ${workspace}: start toolwright web there`),
                  )}
                </span>
              </div>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
