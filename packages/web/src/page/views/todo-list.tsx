import type { TodoItem } from '@toolwright/core/front-end';
import type { TimelineItem } from '../../wire/wire.js';
import { safeText } from '../parts/safe-text.js';

const marks: Record<TodoItem['state'], string> = { open: '○', active: '→', done: '✓' };

/** The latest list of things to do that the model keeps, if it keeps one. */
export function TodoList({ items }: { items: readonly TimelineItem[] }) {
  const todo = items.findLast(hasList)?.todo ?? [];
  if (todo.length === 0) return null;
  const done = todo.filter(({ state }) => state === 'done').length;
  return (
    <section class="todo" aria-label="To do">
      <h2>
        To do: {done} of {todo.length} done
      </h2>
      <ul>
        {todo.map(({ text, state }) => (
          <li class={state}>
            <span aria-hidden="true">{marks[state]} </span>
            {safeText(text)}
            <span class="unseen">, {state}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function hasList(item: TimelineItem): item is TimelineItem & { todo: TodoItem[] } {
  return (
    item.kind === 'call' && item.todo !== undefined && item.state !== 'failed' && item.state !== 'refused'
  );
}
