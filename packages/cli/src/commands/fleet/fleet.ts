import { defineCommandGroup } from '../command.js';
import { engineFlags } from './engine-flags.js';
import { taskFlags } from './read-rows.js';
import { workerFlags } from './work/task-agent.js';

const usage = `  toolwright fleet run TASKS                work through a file of tasks here, then report
  toolwright fleet run --repos LIST -p "…"  one task for each folder or repository of a list
  toolwright fleet submit TASKS             put tasks into the queue of a fleet
  toolwright fleet worker                   work for a fleet, on any machine
  toolwright fleet status|watch             how it is going
  toolwright fleet show|logs ID             one task: its result, its calls
  toolwright fleet cancel|retry ID…         end tasks, try them again
  toolwright fleet forget ID…               remove tasks that have ended, with all that is kept of them
  toolwright fleet questions                what waits for a yes or no
  toolwright fleet answer ID yes|no         answer; the task continues where it was
  toolwright fleet collect [ID…]            take the change sets: patches, branches, or into the folders

TASKS is a file of JSON lines, YAML or CSV, or - for JSON lines from the standard input: prompt, folder or repo, model,
check, labels, limits. Each task works apart; nothing reaches a folder before you collect it. docs/fleet.md has the details.`;

const flags = [
  { name: 'workers', value: 'N', help: 'With run: tasks at a time (default: what this machine can run).' },
  { name: 'slots', value: 'N', help: 'With worker: tasks at a time (default: what this machine can run).' },
  { name: 'until-empty', help: 'With worker: end when no task is left.' },
  ...taskFlags,
  ...engineFlags,
  {
    name: 'lease',
    value: 'SECONDS',
    help: 'Seconds of silence after which the task of a worker goes to another one (default: 30).',
  },
  { name: 'report', value: 'PATH', help: 'With run: write PATH.md and PATH.html at the end.' },
  { name: 'json', help: 'Print JSON.' },
  { name: 'tasks', help: 'With status: list every task that was begun.' },
  { name: 'follow', short: 'f', help: 'With logs: keep printing as it happens.' },
  { name: 'failed', help: 'With retry: all tasks that failed.' },
  { name: 'collected', help: 'With forget: all tasks whose changes were collected.' },
  { name: 'older', value: 'DAYS', help: 'With forget: all tasks that ended at least DAYS days ago.' },
  { name: 'poison', help: 'With retry: all tasks that were put aside as poison.' },
  { name: 'all', help: 'With cancel: all tasks that have not ended.' },
  { name: 'queued', help: 'With cancel: all tasks that wait in the queue.' },
  {
    name: 'state',
    value: 'STATE',
    choices: ['queued', 'running', 'parked', 'done', 'failed', 'poison', 'cancelled'],
    help: 'With status --tasks: only tasks in this state, for queued also those that nobody has begun.',
  },
  {
    name: 'to',
    value: 'WHERE',
    choices: ['patches', 'branches', 'folder'],
    help: 'With collect: patch files, a branch with a commit for each task, or the folder itself.',
  },
  { name: 'directory', value: 'DIR', help: 'With collect: where patches go (default: here).' },
  { name: 'repository', value: 'DIR', help: 'With collect: the repository for branches of clones.' },
  {
    name: 'author',
    value: 'NAME',
    help: 'With collect: the author of commits, "Name <mail>" (default: that of git).',
  },
  { name: 'review', help: 'With collect: ask about each task, then keep it in its folder.' },
  ...workerFlags,
];

/**
 * Reading a hundred thousand records, or one task after the other, leaves garbage: V8 collects it sooner, instead of growing by some 40 MB
 * for it. The young generation grows while modules are loaded, and never shrinks, so this comes before them.
 */
async function inSmallHeap<Module>(load: () => Promise<Module>, ...more: string[]): Promise<Module> {
  const { setFlagsFromString } = await import('node:v8');
  const flags = ['--semi-space-growth-factor=1', '--heap-growing-percent=20', '--optimize-for-size'];
  for (const flag of [...flags, ...more]) setFlagsFromString(flag);
  return load();
}

/** Forty tasks make much code warm that is not worth its machine code, of 6 MB; a loop that is really hot gets it within milliseconds. */
function loadWork(): Promise<typeof import('./run.js')> {
  return inSmallHeap(() => import('./run.js'), '--interrupt-budget=1350000', '--no-sparkplug');
}

function loadLook(): Promise<typeof import('./look.js')> {
  return inSmallHeap(() => import('./look.js'));
}

/** Everything of the fleet is loaded when one of its commands is given. */
export const run = defineCommandGroup({
  name: 'fleet',
  usage,
  flags,
  actions: {
    run: async (words, args) => (await loadWork()).run({ ...args, words }),
    worker: async (words, args) => (await loadWork()).worker({ ...args, words }),
    submit: async (words, args) => (await loadWork()).submitOnly({ ...args, words }),
    status: async (words, args) => (await loadLook()).status(words, args),
    watch: async (words, args) => (await loadLook()).watch(words, args),
    show: async (words, args) => (await import('./show.js')).show(words, args),
    logs: async (words, args) => (await import('./logs.js')).logs(words, args),
    cancel: async (words, args) => (await import('./tasks.js')).cancel(words, args),
    retry: async (words, args) => (await import('./tasks.js')).retry(words, args),
    forget: async (words, args) => (await import('./tasks.js')).forget(words, args),
    questions: async (words, args) => (await import('./questions.js')).questions(words, args),
    answer: async (words, args) => (await import('./questions.js')).answer(words, args),
    collect: async (words, args) => (await inSmallHeap(() => import('./collect.js'))).collect(words, args),
  },
});
