import { defineCommandGroup } from '../command.js';
import { drop } from './drop.js';
import { keep } from './keep.js';
import { list } from './list.js';
import { open } from './open.js';
import { show } from './show.js';

const flags = [
  { name: 'json', help: 'Print JSON.' },
  { name: 'yes', help: 'With keep and drop: do it without asking, for scripts.' },
];

/** Sessions that worked on a view of their own, and what becomes of their changes. */
export const run = defineCommandGroup({
  name: 'apart',
  usage: `  toolwright apart list                   sessions apart whose changes wait for a review, newest first
  toolwright apart show ID                what one of them changed
  toolwright apart keep ID [FILES…]       keep its changes, or those of some files and folders
  toolwright apart drop ID [FILES…]       drop them
  toolwright apart open ID                continue its conversation, apart as before

The beginning of an id is enough. keep and drop ask at a terminal. keep --yes keeps nothing and exits
with 1 when a change is protected, run later by other programs, or in conflict.`,
  flags,
  actions: { list, show, keep, drop, open },
});
