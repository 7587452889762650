import type { Agent } from '@toolwright/core';
import { messageOf } from '@toolwright/core/front-end';
import type { ApartOffer } from '../ask/confirm.js';
import { lastPrompt } from './greeting.js';

/** Offers once in a conversation to work apart, where that is possible and would spare the question at hand. */
export function createApartOffer(agent: () => Agent | null, began: () => void): ApartOffer {
  let isOpen = true;
  return {
    async isDue({ tool, details }, signal) {
      const opened = agent();
      if (!isOpen || !opened || opened.apart.id !== null) return false;
      if (!opened.permission.isSparedApart({ tool, effects: details.effects })) return false;
      isOpen = false;
      return (await opened.commands.shell.staged.possible(signal)).possible;
    },
    async accept(signal) {
      try {
        const { apart, messages } = agent()!;
        await apart.begin({ prompt: lastPrompt(messages) }, signal);
      } catch (error) {
        signal.throwIfAborted();
        return messageOf(error);
      }
      began();
      return null;
    },
  };
}
