import { Composer } from '../parts/composer.js';
import { safeText } from '../parts/safe-text.js';
import { linkTo, live } from '../state/store.js';

const fronts: Record<string, string> = {
  interactive: 'at a terminal',
  headless: 'for a script',
  web: 'on this page',
  acp: 'in an editor',
  fleet: 'a task of the fleet',
};

/** The running sessions of this machine, and the beginning of a new one. */
export function LiveView() {
  return (
    <>
      <h1>Live</h1>
      <Composer isWorking={false} />
      <h2>Running now</h2>
      {live.value.length === 0 ? (
        <p class="empty">
          No session runs on this machine. Begin one above, or with toolwright at a terminal.
        </p>
      ) : (
        <ul class="cards">
          {live.value.map(({ session, title, front, model, workspace, asks, working, mode }) => (
            <li key={session}>
              <a class={`card${asks ? ' asks' : ''}`} href={linkTo('session', session)}>
                <strong>{safeText(title) || 'No prompt yet'}</strong>
                <span class="state">{asks ? 'asks you' : working ? 'works' : 'waits for a prompt'}</span>
                <span class="meta">
                  {fronts[front] ?? front} · {safeText(model)} · {mode} · {safeText(workspace)}
                </span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
