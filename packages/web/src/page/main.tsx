import { useSignal } from '@preact/signals';
import { plural } from '@toolwright/core/front-end';
import { type ComponentType, render } from 'preact';
import { useEffect } from 'preact/hooks';
import { login, takeToken } from './state/client.js';
import {
  asking,
  begin,
  board,
  follow,
  live,
  lost,
  readRoute,
  route,
  start,
  tellGone,
} from './state/store.js';
import { LiveView } from './views/live.js';
import { SessionPage } from './views/session.js';
import { SessionsView } from './views/sessions.js';

type ViewProps = { parts: string[] };

/** Views that are loaded when they are looked at. */
const later: Record<string, () => Promise<ComponentType<ViewProps>>> = {
  changes: async () => (await import('./views/changes.js')).ChangesView,
  change: async () => (await import('./views/change.js')).ChangeView,
  apart: async () => (await import('./views/apart.js')).ApartView,
  fleet: async () => (await import('./views/fleet.js')).FleetView,
  task: async () => (await import('./views/task.js')).TaskPage,
  rules: async () => (await import('./views/rules.js')).RulesView,
  machine: async () => (await import('./views/machine.js')).MachinePage,
};

function Later({ name, parts }: { name: string; parts: string[] }) {
  const View = useSignal<{ name: string; view: ComponentType<ViewProps> } | null>(null);
  useEffect(() => {
    later[name]?.().then((view) => (View.value = { name, view }), tellGone);
    // A view that could not be loaded is loaded once the program answers again.
  }, [name, lost.value === null]);
  if (View.value?.name !== name) return <p class="waiting">Reading …</p>;
  const Loaded = View.value.view;
  return <Loaded parts={parts} />;
}

const places = [
  ['live', 'Live'],
  ['sessions', 'Sessions'],
  ['fleet', 'Fleet'],
  ['changes', 'Changes'],
  ['rules', 'Rules'],
  ['machine', 'Machine'],
] as const;

const above: Record<string, string> = {
  session: 'sessions',
  change: 'changes',
  apart: 'changes',
  task: 'fleet',
};

function Navigation() {
  const [place = 'live'] = route.value;
  const current = above[place] ?? place;
  return (
    <header class="bar">
      <button type="button" class="skip" onClick={skip}>
        Skip to the content
      </button>
      <span class="brand">Toolwright</span>
      <nav aria-label="Views">
        <ul>
          {places.map(([name, words]) => (
            <li>
              <a href={`#/${name}`} aria-current={current === name ? 'page' : undefined}>
                {words}
                <Badge
                  count={{ live: asking.value, fleet: board.value?.states.parked ?? 0 }[name as string]}
                />
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <span class="where" title={start.value?.workspace}>
        {start.value?.workspace ?? ''}
        {start.value?.readOnly ? ' (read-only)' : ''}
      </span>
    </header>
  );
}

/** The number of questions that wait in a view. */
function Badge({ count = 0 }: { count: number | undefined }) {
  if (count === 0) return null;
  return (
    <span class="badge">
      {count}
      <span class="unseen"> open question{count === 1 ? '' : 's'}</span>
    </span>
  );
}

function skip(): void {
  document.querySelector('main')?.focus();
}

function View() {
  const [place = 'live', ...parts] = route.value;
  // Nobody was let in: what is empty would only look like an answer.
  if (!start.value && lost.value?.why === 'token') return <h1>Toolwright</h1>;
  switch (place) {
    case 'live':
      return <LiveView />;
    case 'sessions':
      return <SessionsView />;
    case 'session':
      return <SessionPage id={parts[0] ?? ''} callId={parts[1]} />;
    default:
      return place in later ? (
        <Later name={place} parts={parts} />
      ) : (
        <>
          <h1>There is no view {place}</h1>
          <p>
            <a href="#/live">Live</a> shows what runs now.
          </p>
        </>
      );
  }
}

function Lost() {
  if (!lost.value) return null;
  return (
    <div class="lost" role="alert">
      <p>
        {lost.value.message}
        {lost.value.why === 'gone'
          ? ' The page tries again by itself. If the program was started again, open the new address that it printed.'
          : ''}
      </p>
      {lost.value.why === 'token' && location.protocol === 'https:' && <Login />}
    </div>
  );
}

function Login() {
  const password = useSignal('');
  const said = useSignal('');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        login(password.value).then(
          () => location.reload(),
          (error: unknown) => (said.value = String(error)),
        );
      }}
    >
      <label>
        Password{' '}
        <input
          type="password"
          autocomplete="current-password"
          value={password.value}
          onInput={({ currentTarget }) => (password.value = currentTarget.value)}
        />
      </label>{' '}
      <button type="submit">Open</button> <span role="status">{said.value}</span>
    </form>
  );
}

function Announcer() {
  const parked = board.value?.states.parked ?? 0;
  const asks = [
    ...live.value.filter((row) => row.asks).map(({ title }) => title),
    ...(parked > 0
      ? [`${plural(parked, 'task')} of the fleet ${parked === 1 ? 'waits' : 'wait'} for an answer`]
      : []),
  ];
  const text = asks.length === 0 ? '' : `Toolwright needs an answer: ${asks.join('; ')}`;
  const count = asking.value + parked;
  useEffect(() => {
    document.title = count > 0 ? `(${count}) Toolwright needs an answer` : 'Toolwright';
  }, [count]);
  return (
    <div class="unseen" role="status" aria-live="assertive">
      {text}
    </div>
  );
}

function Page() {
  const [place, id = ''] = route.value;
  useEffect(() => follow(place === 'session' || place === 'task' ? { [place]: id } : {}), [place, id]);
  return (
    <>
      <Navigation />
      <Lost />
      <Announcer />
      <main id="main" tabIndex={-1}>
        <View />
      </main>
    </>
  );
}

addEventListener('hashchange', readRoute);
addEventListener('keydown', (event) => {
  const isTyping =
    event.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  const search = document.querySelector<HTMLElement>('input[type=search]');
  if (search) search.focus();
  else location.hash = '#/sessions';
});
takeToken();
readRoute();
void begin();
const place = document.querySelector('#page') as HTMLElement;
place.replaceChildren();
render(<Page />, place);
