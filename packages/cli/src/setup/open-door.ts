import type { Agent } from '@toolwright/core';
import { type LiveDoor, openLiveDoor } from '@toolwright/core/front-end';

/** Loaded once a session has worked for a while, or has a question. */
export function openDoorOf(agent: Agent, front: string): Promise<LiveDoor> {
  const { session, host, state, model, permission, apart } = agent;
  return openLiveDoor({
    state,
    show: host.workspace.show,
    about: {
      session: session.id,
      workspace: host.workspace.directory,
      journal: session.journalPath,
      front,
      pid: process.pid,
      provider: model.provider,
      model: model.model,
      mode: permission.mode,
      apart: apart.id ?? undefined,
    },
  });
}
