import type { Toolbox } from './create-toolbox.js';
import type { AskForm } from './tools/task/ask-user.js';
import { needsAskUser, needsTodo, usesTaskTools } from './tools/task/when-needed.js';
import type { Tool } from './tools/tools.js';

export interface TaskToolNeeds {
  toolbox: Pick<Toolbox, 'registry'>;
  /** The model that is asked now. */
  model(): string;
  /** The way to ask; without it nobody can be asked. */
  ask: AskForm | undefined;
}

/** `todo` and `ask_user`, once a prompt needs them, or at once for models that use them well; those that are there already are left out. */
export async function taskToolsFor(prompt: string, { toolbox, model, ask }: TaskToolNeeds): Promise<Tool[]> {
  const { registry } = toolbox;
  const tools: Tool[] = [];
  // Where there are skills, the two wait for a prompt that needs them.
  const isKnown = usesTaskTools(model()) && !registry.find('skill');
  if (!registry.find('todo') && (isKnown || needsTodo(prompt))) {
    const { TodoTool } = await import('./tools/task/todo.js');
    tools.push(new TodoTool());
  }
  if (ask && !registry.find('ask_user') && (isKnown || needsAskUser(prompt))) {
    const { AskUserTool } = await import('./tools/task/ask-user.js');
    tools.push(new AskUserTool(ask));
  }
  return tools;
}
