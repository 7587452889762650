import { useSignal } from '@preact/signals';
import { messageOf } from '@toolwright/core/front-end';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { WebApi, WebMethod } from '../../wire/wire.js';
import { ask, Unreachable } from '../state/client.js';
import { lost, tellLost } from '../state/store.js';

interface LoadedProps<Method extends WebMethod> {
  /** The heading of a view while there is nothing else to see of it. */
  title?: string;
  method: Method;
  given: WebApi[Method]['takes'];
  /** Asks again when it changes; what is there stays until then. */
  again?: unknown;
  draw(view: WebApi[Method]['gives'], reload: () => void): ComponentChildren;
}

/** Asks once, says that it waits or why it can't, and draws what came. */
export function Loaded<Method extends WebMethod>({ title, method, given, again, draw }: LoadedProps<Method>) {
  const view = useSignal<{ of: string; gives: WebApi[Method]['gives'] } | null>(null);
  const error = useSignal('');
  const times = useSignal(0);
  const key = JSON.stringify([method, given]);
  useEffect(() => {
    const ending = new AbortController();
    ask(method, given, ending.signal).then(
      (gives) => {
        error.value = '';
        view.value = { of: key, gives };
      },
      (problem: unknown) => {
        if (ending.signal.aborted) return;
        tellLost(problem);
        // A notice above every view tells that the connection is lost.
        if (problem instanceof Unreachable) return;
        error.value = messageOf(problem);
      },
    );
    return () => ending.abort();
  }, [key, times.value, again, lost.value === null]);
  const heading = title === undefined ? null : <h1>{title}</h1>;
  if (error.value !== '')
    return (
      <>
        {heading}
        <p class="problem" role="alert">
          {error.value}
        </p>
      </>
    );
  if (view.value?.of !== key)
    return (
      <>
        {heading}
        <p class="waiting" role="status">
          Reading …
        </p>
      </>
    );
  return <>{draw(view.value.gives, () => (times.value += 1))}</>;
}
