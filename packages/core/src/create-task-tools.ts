import type { Toolbox } from './create-toolbox.js';
import type { AskForm } from './tools/task/ask-user.js';
import { needsAskUser, needsTodo, usesTaskTools } from './tools/task/when-needed.js';

export interface TaskToolNeeds {
  toolbox: Pick<Toolbox, 'registry'>;
  /** The model that is asked now. */
  model(): string;
  /** The way to ask; without it nobody can be asked. */
  ask: AskForm | undefined;
}

/** Offers `todo` and `ask_user` once a prompt needs them, or at once to models that use them well. */
export function createTaskToolOffer({ toolbox, model, ask }: TaskToolNeeds): {
  forPrompt(text: string): Promise<void>;
} {
  const { registry } = toolbox;
  return {
    async forPrompt(text) {
      // The list of skills takes the room that the first request has, 12 kB, so with skills they wait for a prompt that needs them.
      const isKnown = usesTaskTools(model()) && !registry.find('skill');
      if (!registry.find('todo') && (isKnown || needsTodo(text))) {
        const { TodoTool } = await import('./tools/task/todo.js');
        registry.registerTool(new TodoTool(), { kind: 'builtin' });
      }
      if (ask && !registry.find('ask_user') && (isKnown || needsAskUser(text))) {
        const { AskUserTool } = await import('./tools/task/ask-user.js');
        registry.registerTool(new AskUserTool(ask), { kind: 'builtin' });
      }
    },
  };
}
