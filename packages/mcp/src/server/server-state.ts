/**
 * The life of one server. Only `ready` has a session that can be used; `lost` still holds the one that ended, whose
 * process must be gone before the next one starts.
 */
export type ServerState<Session> =
  | { at: 'not started' }
  | { at: 'starting' }
  | { at: 'ready'; session: Session }
  | { at: 'lost'; session: Session }
  | { at: 'stopping' }
  | { at: 'failed'; error: unknown; retryAt: number }
  | { at: 'closed'; error: unknown };

export type ServerEvent<Session> =
  | { kind: 'start' }
  | { kind: 'opened'; session: Session }
  | { kind: 'failed'; error: unknown; retryAt: number }
  /** A session ended that nobody had asked to end. */
  | { kind: 'ended'; session: Session }
  /** The server stops: nobody has used it for a while. */
  | { kind: 'stop' }
  | { kind: 'stopped' }
  /** The cause of a failure is gone: the next use may try at once. */
  | { kind: 'forgive' }
  /** The server closes: nobody will use it again; a later caller hears the error. */
  | { kind: 'close'; error: unknown };

/** The state after an event. An event that does not belong to the state, such as one that comes too late, changes nothing. */
export function nextState<Session>(
  state: ServerState<Session>,
  event: ServerEvent<Session>,
): ServerState<Session> {
  if (event.kind === 'close') return { at: 'closed', error: event.error };
  switch (state.at) {
    case 'not started':
      return event.kind === 'start' ? { at: 'starting' } : state;
    case 'starting':
      if (event.kind === 'opened') return { at: 'ready', session: event.session };
      return event.kind === 'failed' ? { at: 'failed', error: event.error, retryAt: event.retryAt } : state;
    case 'ready':
      if (event.kind === 'ended' && event.session === state.session) return { ...state, at: 'lost' };
      return event.kind === 'stop' ? { at: 'stopping' } : state;
    case 'lost':
      if (event.kind === 'start') return { at: 'starting' };
      return event.kind === 'stop' ? { at: 'stopping' } : state;
    case 'stopping':
      return event.kind === 'stopped' ? { at: 'not started' } : state;
    case 'failed':
      if (event.kind === 'start') return { at: 'starting' };
      return event.kind === 'forgive' ? { at: 'not started' } : state;
    case 'closed':
      return state;
  }
}

/** The step to take for somebody who wants to use the server now. */
export type Step<Session> =
  | { do: 'use'; session: Session }
  | { do: 'start' }
  /** A start or a stop is under way; the state after it decides. */
  | { do: 'wait' }
  | { do: 'refuse'; error: unknown };

export function stepFor<Session>(state: ServerState<Session>, now: number): Step<Session> {
  switch (state.at) {
    case 'ready':
      return { do: 'use', session: state.session };
    case 'not started':
    case 'lost':
      return { do: 'start' };
    case 'starting':
    case 'stopping':
      return { do: 'wait' };
    case 'failed':
      return now < state.retryAt ? { do: 'refuse', error: state.error } : { do: 'start' };
    case 'closed':
      return { do: 'refuse', error: state.error };
  }
}
