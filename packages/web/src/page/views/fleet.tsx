import { formatNumber, plural } from '@toolwright/core/front-end';
import { type FleetBoard, type TaskRow, type TaskState, taskStates } from '../../wire/fleet.js';
import { Foldable } from '../parts/display.js';
import { boardFacts, stateWords, taskFacts } from '../parts/fleet-words.js';
import { Loaded } from '../parts/loaded.js';
import { safeText } from '../parts/safe-text.js';
import { VirtualList } from '../parts/virtual-list.js';
import { board, linkTo } from '../state/store.js';
import { TaskQuestions } from './task-questions.js';

/** The board of the fleet: how it gets on, what it asks, and its tasks. */
export function FleetView({ parts: [wanted] }: { parts: string[] }) {
  const state = taskStates.find((each) => each === wanted);
  if (board.value === undefined)
    return (
      <>
        <h1>Fleet</h1>
        <p class="waiting" role="status">
          Reading …
        </p>
      </>
    );
  if (board.value === null) return <NoFleet />;
  const { place, problem, stamp, states } = board.value;
  return (
    <>
      <h1>Fleet</h1>
      <p class="meta">{safeText(place)}</p>
      {problem !== null && (
        <p class="problem" role="alert">
          {safeText(problem)} The page tries again by itself.
        </p>
      )}
      <States board={board.value} state={state} />
      <Head board={board.value} />
      {states.parked > 0 && (state === undefined || state === 'parked') && (
        <section aria-labelledby="fleet-questions">
          <h2 id="fleet-questions">Questions</h2>
          <Loaded
            method="list/tasks"
            given={{ state: 'parked' }}
            again={stamp}
            draw={({ rows, more }) => <Parked rows={rows} more={more} />}
          />
        </section>
      )}
      {state !== 'parked' && (
        <section aria-labelledby="fleet-tasks">
          <h2 id="fleet-tasks">{state ? `Tasks: ${stateWords[state]}` : 'Tasks'}</h2>
          <Loaded
            method="list/tasks"
            given={state ? { state } : {}}
            again={stamp}
            draw={({ rows, more }) => <Tasks rows={rows} more={more} state={state} />}
          />
        </section>
      )}
    </>
  );
}

function NoFleet() {
  return (
    <>
      <h1>Fleet</h1>
      <p class="empty">
        This machine has no fleet yet. <code>toolwright fleet run TASKS</code> works through a list of tasks,
        which are then shown here; <code>toolwright web --engine nats://host:port</code> shows a fleet of
        several machines.
      </p>
    </>
  );
}

/** A bar for each state; each leads to its tasks. */
function States({ board: { states }, state: shown }: { board: FleetBoard; state: TaskState | undefined }) {
  const all = Math.max(
    1,
    taskStates.reduce((sum, state) => sum + states[state], 0),
  );
  return (
    <nav aria-label="Tasks by state">
      <ul class="states">
        {taskStates
          .filter((state) => states[state] > 0 || state === 'done' || state === 'running' || state === shown)
          .map((state) => (
            <li key={state}>
              <a
                href={shown === state ? linkTo('fleet') : linkTo('fleet', state)}
                aria-current={shown === state ? 'true' : undefined}
              >
                <span class="name">{stateWords[state]}</span>
                <span class="number">{formatNumber(states[state])}</span>
                <svg class="share" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
                  <rect class={`s-${state}`} x="0" y="0" width={(states[state] / all) * 100} height="4" />
                </svg>
              </a>
            </li>
          ))}
      </ul>
    </nav>
  );
}

function Head({ board: shown }: { board: FleetBoard }) {
  const { lastFailure } = shown;
  return (
    <>
      <p class="facts">{boardFacts(shown).join(' · ')}</p>
      {lastFailure && (
        <p class="error">
          Last failure: <a href={linkTo('task', lastFailure.id)}>{safeText(lastFailure.title)}</a>:{' '}
          {safeText(lastFailure.message)}
        </p>
      )}
    </>
  );
}

function Parked({ rows, more }: { rows: TaskRow[]; more: number }) {
  return (
    <>
      <ul class="cards">
        {rows.map((row) => (
          <li key={row.id}>
            <ParkedTask row={row} />
          </li>
        ))}
      </ul>
      {more > 0 && <p class="meta">and {plural(more, 'more task')}: they come up as these are answered.</p>}
    </>
  );
}

function ParkedTask({ row: { id, title, asks, place } }: { row: TaskRow }) {
  return (
    <Foldable
      label={title}
      class="call asks"
      head={
        <>
          <span class="asked">{asks.map(safeText).join('; ')}</span>
          <span class="meta">
            {safeText(title)} · {safeText(place)}
          </span>
        </>
      }
    >
      <Loaded
        method="read/task"
        given={{ id }}
        draw={({ questions }) => <TaskQuestions id={id} questions={questions} />}
      />
      <p class="links">
        <a href={linkTo('task', id)}>The whole task</a>
      </p>
    </Foldable>
  );
}

interface TasksProps {
  rows: readonly TaskRow[];
  more: number;
  state: TaskState | undefined;
}

/** Lists the tasks. Those with questions stand in a table above, and those in the queue are only counted. */
function Tasks({ rows, more, state }: TasksProps) {
  const shown = state ? rows : rows.filter((row) => row.state !== 'parked');
  const queued = state && state !== 'queued' ? 0 : Math.min(more, board.value?.states.queued ?? 0);
  const others = more - queued;
  return (
    <>
      {shown.length > 0 && (
        <VirtualList
          items={shown}
          label="Tasks"
          keyOf={({ id }) => id}
          estimate={({ why, summary }) => 74 + (why || summary ? 24 : 0)}
          draw={(row) => <Task row={row} />}
        />
      )}
      {shown.length + more === 0 && (
        <p class="empty">No task {state ? 'is in this state' : 'has begun yet'}.</p>
      )}
      {queued > 0 && (
        <p class="empty">
          {plural(queued, 'task')} {queued === 1 ? 'waits' : 'wait'} for a worker; each is listed once it has
          begun.
        </p>
      )}
      {others > 0 && <p class="empty">{plural(others, 'older task')} not listed here.</p>}
    </>
  );
}

function Task({ row }: { row: TaskRow }) {
  const { id, title, state, summary, added, removed, why } = row;
  return (
    <div class="entry">
      <a class="card" href={linkTo('task', id)}>
        <strong>{safeText(title)}</strong>
        <span class={`state s-${state}`}>{stateWords[state]}</span>
        {summary !== '' && (
          <span class="line">
            {safeText(summary)}{' '}
            <span class="counts">
              <ins>+{added}</ins> <del>−{removed}</del>
            </span>
          </span>
        )}
        {why !== '' && <span class="line error">{safeText(why)}</span>}
        <span class="meta">{taskFacts(row).map(safeText).join(' · ')}</span>
      </a>
    </div>
  );
}
