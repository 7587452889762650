import type { MemoryScope } from '@toolwright/core/front-end';
import { safe, safeLine } from '../../app/safe-text.js';
import type { Front } from '../../ui/front.js';

/** Asks where a fact is kept; null when the user closed the question. */
export async function chooseScope(
  front: Pick<Front, 'pick'>,
  fact: string,
  signal: AbortSignal,
): Promise<MemoryScope | null> {
  const picked = await front.pick(
    {
      title: safeLine(`Remember: ${fact}`),
      items: [
        {
          id: 'project',
          label: safe('In this project'),
          detail: safe('its context file, for everybody who works here'),
        },
        { id: 'global', label: safe('In all your projects'), detail: safe('your own context file') },
      ],
      typed: 'filter',
      verb: safe('remembers it'),
    },
    { signal },
  );
  return picked && (picked.id === 'project' ? 'project' : 'global');
}
