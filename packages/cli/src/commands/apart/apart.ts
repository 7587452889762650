import { defineCommandGroup } from '../command.js';
import { drop } from './drop.js';
import { list } from './list.js';

const flags = [
  { name: 'json', help: 'Print JSON.' },
  { name: 'yes', help: 'With drop: do it without asking, for scripts.' },
];

/** Sessions that worked on a view of their own, and what becomes of their changes. */
export const run = defineCommandGroup({
  name: 'apart',
  usage: `  toolwright apart list                   sessions apart whose changes wait for a review, newest first
  toolwright apart drop ID                drop the changes of one

The beginning of an id is enough.`,
  flags,
  actions: { list, drop },
});
