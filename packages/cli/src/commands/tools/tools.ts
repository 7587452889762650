import { refuseFurther } from '../../command-line/args.js';
import { toolsFlags } from '../../command-line/flags.js';
import { defineCommandGroup } from '../command.js';

export const run = defineCommandGroup({
  name: 'tools',
  usage: `  toolwright tools list [--json] [--refresh]
  toolwright tools show NAME [--provider openai|openai-responses|anthropic|gemini]
  toolwright tools run NAME --args '{"path": "src"}' [--json]
  toolwright tools run --batch < calls.jsonl
  toolwright tools new NAME [--ts|--exec] [--user]
  toolwright tools check NAME|PATH|SERVER [--args JSON] [--json]`,
  flags: toolsFlags,
  actions: {
    async list(words, args) {
      refuseFurther(words, 'tools list');
      return (await import('./list.js')).list(args);
    },
    async show([name, ...further], args) {
      refuseFurther(further, 'tools show NAME');
      return (await import('./show.js')).show(name, args);
    },
    run: async (words, args) => (await import('./run.js')).runTool(words, args),
    async new([name, ...further], args) {
      refuseFurther(further, 'tools new NAME');
      return (await import('./new.js')).newTool(name, args);
    },
    async check([target, ...further], args) {
      refuseFurther(further, 'tools check NAME');
      return (await import('./check.js')).check(target, args);
    },
  },
});
