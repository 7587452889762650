import type { SlashCommand } from '../slash-context.js';

/** Commands about the model, the session and the program; each loads its own code. */
export const furtherCommands: Record<string, SlashCommand> = {
  model: {
    usage: '/model [NAME]',
    help: 'choose another model, with prices and reasoning effort',
    run: async (context, rest) => (await import('./model.js')).model(context, rest),
  },
  connect: {
    usage: '/connect',
    help: 'set up a key or a local server, with a trial request',
    run: async (context) => (await import('./connect.js')).connect(context),
  },
  mode: {
    usage: '/mode [NAME]',
    help: 'choose what is asked about: plan, default, auto-edit, yolo; Shift+Tab cycles through them',
    run: async (context, rest) => (await import('./mode.js')).mode(context, rest),
  },
  resume: {
    usage: '/resume [ID]',
    help: 'continue an earlier conversation in this folder',
    run: async (context, rest) => (await import('./resume.js')).resume(context, rest),
  },
  rewind: {
    usage: '/rewind',
    help: 'go back to an earlier prompt: the conversation, the files, or both; or fork from there',
    run: async (context) => (await import('./rewind.js')).rewind(context),
  },
  theme: {
    usage: '/theme [NAME]',
    help: 'choose the colours: each theme is shown as you go through the list',
    run: async (context, rest) => (await import('../look/theme.js')).theme(context, rest),
  },
  diff: {
    usage: '/diff',
    help: 'show what this conversation has changed so far',
    run: async (context) => (await import('./undo.js')).diff(context),
  },
  clear: {
    usage: '/clear',
    help: 'begin a new conversation; /resume leads back to this one',
    run: async (context) => (await import('./session.js')).clear(context),
  },
  compact: {
    usage: '/compact [FOCUS]',
    help: 'replace the conversation so far with a summary; say what matters most',
    run: async (context, rest) => (await import('./session.js')).compact(context, rest),
  },
  context: {
    usage: '/context',
    help: "show what fills the model's window",
    run: async (context) => (await import('./usage.js')).context(context),
  },
  cost: {
    usage: '/cost',
    help: 'show what this conversation has cost',
    run: async (context) => (await import('./usage.js')).cost(context),
  },
  export: {
    usage: '/export [FILE]',
    help: 'write this conversation as Markdown',
    run: async (context, rest) => (await import('./export.js')).exportSession(context, rest),
  },
  copy: {
    usage: '/copy',
    help: 'copy the last answer to the clipboard',
    run: async (context) => (await import('./export.js')).copyAnswer(context),
  },
  init: {
    usage: '/init',
    help: 'have the model look around and write an AGENTS.md for this folder',
    run: async (context) => (await import('./project.js')).init(context),
  },
  doctor: {
    usage: '/doctor',
    help: 'check what works on this machine, and how to fix the rest',
    run: async (context) => (await import('./project.js')).doctor(context),
  },
  trust: {
    usage: '/trust',
    help: 'trust this folder, so that its context files, settings and tools take effect',
    run: async (context) => (await import('./trust.js')).trust(context),
  },
  'add-dir': {
    usage: '/add-dir FOLDER',
    help: 'let the file tools work in another folder too',
    run: async (context, rest) => (await import('./project.js')).addDirectory(context, rest),
  },
  settings: {
    usage: '/settings [NAME]',
    help: 'look at the settings and change them',
    run: async (context, rest) => (await import('./settings.js')).settings(context, rest),
  },
  tour: {
    usage: '/tour',
    help: 'see a question, a command on a copy and an undo, in a minute',
    run: async (context) => (await import('./tour.js')).tour(context),
  },
};
