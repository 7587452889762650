import { refuseFurther } from '../../command-line/args.js';
import type { Flag } from '../../command-line/flags.js';
import { defineCommandGroup } from '../command.js';

const flags: readonly Flag[] = [
  { name: 'json', help: 'With list: print JSON.' },
  { name: 'user', help: 'With new: for all your projects, not just this one.' },
];

export const run = defineCommandGroup({
  name: 'skills',
  usage: `  toolwright skills list [--json]          the skills in effect here, and what is wrong with the others
  toolwright skills check [NAME|FOLDER]    read one of them, or all, as the model would get it
  toolwright skills new NAME [--user]      write a skill to start from`,
  flags,
  actions: {
    async list(words, args) {
      refuseFurther(words, 'skills list');
      return (await import('./list.js')).list(args);
    },
    async check([target, ...further], args) {
      refuseFurther(further, 'skills check NAME');
      return (await import('./check.js')).check(target, args);
    },
    async new([name, ...further], args) {
      refuseFurther(further, 'skills new NAME');
      return (await import('./new.js')).newSkill(name, args);
    },
  },
});
