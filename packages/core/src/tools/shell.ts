import type { Effect } from '@toolwright/machine/base/effect.js';
import { homeDirectory } from '@toolwright/machine/host/state/state-folder.js';
import type { CommandPlan } from './shell/command-plan.js';
import type { LookedAt } from './shell/look-at-command.js';
import { outsideProblem, outsideSchema } from './shell/outside/outside-params.js';
import type { ShellHost, ShellParams, ShellParts } from './shell/parts.js';
import { BaseTool, type ConfirmationDetails, type OnUpdate, type ToolResult } from './tools.js';

/** Below the limit that every call has. */
const LONGEST_MS = 1_740_000;

/** Loads what it needs with the first command: most prompts run none. */
export class ShellTool extends BaseTool<ShellParams, CommandPlan> {
  readonly #looked = new WeakMap<ShellParams, Promise<LookedAt>>();
  /** Plans whose changes the rules and the person have seen. */
  readonly #judged = new WeakSet<ShellParams>();
  /** What was said about jobs. */
  readonly #told = new Set<string>();

  constructor(
    private readonly host: ShellHost,
    private readonly parts: ShellParts,
  ) {
    super({
      name: 'run_shell_command',
      displayName: 'Shell',
      description:
        'Runs a command line with bash and returns what it printed (both streams, in order) and how it ended. There ' +
        'is no terminal and nothing to read from standard input: use options that ask no questions. Each call is a ' +
        'new shell: cd and variables do not last. Unless it only reads, it runs apart from the workspace, without ' +
        'network, and the user decides which changes are kept. Use ' +
        'the other tools to read, search and edit files.',
      parameterSchema: {
        type: 'object',
        properties: {
          command: { type: 'string', minLength: 1, description: 'Command line for bash.' },
          description: { type: 'string', description: 'What it is for, in a few words, for the user.' },
          directory: {
            type: 'string',
            minLength: 1,
            description: 'Folder to run in. Default: the workspace.',
          },
          timeout: {
            type: 'integer',
            minimum: 1,
            maximum: LONGEST_MS,
            description: 'Limit in milliseconds. Default: 600000.',
          },
          is_background: {
            type: 'boolean',
            description: 'For servers and watchers: it goes on as a job, and the call returns at once.',
          },
          network: {
            type: 'boolean',
            description: 'It must reach the network, or be reached through it. The user is asked.',
          },
          outside: outsideSchema,
        },
        required: ['command'],
      },
      parameterAliases: { directory: ['dir_path'] },
    });
  }

  override getDescription({ command, directory, is_background }: ShellParams): string {
    const where = directory === undefined || directory === '.' ? '' : ` (in ${directory})`;
    return `Run ${command}${where}${is_background ? ' in the background' : ''}`;
  }

  override async effects(params: ShellParams): Promise<Effect[]> {
    return (await this.#look(this.accepted(params))).effects;
  }

  modify(params: ShellParams, written: string): ShellParams {
    return { ...params, command: written };
  }

  protected override problem({ command, outside }: ShellParams): string | null {
    if (command.trim() === '') return 'command is empty.';
    return command.includes('\0') ? 'command contains a NUL character.' : outsideProblem(outside);
  }

  protected override async confirmation(
    params: ShellParams,
    signal: AbortSignal,
    onUpdate?: OnUpdate,
  ): Promise<ConfirmationDetails | false> {
    const looked = await this.#look(params);
    const manner = this.parts.manner(looked.effects);
    if (manner === 'proven' || manner === 'read-only-mount') return false;
    const { askBefore, askAfter } = await import('./shell/questions.js');
    const { show } = this.host.workspace;
    const home = homeDirectory(this.parts.environment);
    const asking = { why: null, show, home };
    if (manner === 'ask-first' || params.is_background) return askBefore(params, looked, asking);
    const staging = await this.parts.staged.possible(signal);
    if (!staging.possible) return askBefore(params, looked, { ...asking, why: staging.why });
    const plan = await this.plan(params, signal, onUpdate);
    if (plan.kind !== 'staged') return false;
    this.#judged.add(params);
    return askAfter(params, looked, { plan, show });
  }

  protected override async run(
    params: ShellParams,
    signal: AbortSignal,
    onUpdate?: OnUpdate,
  ): Promise<ToolResult> {
    const result = await this.#answer(params, signal, onUpdate);
    const { withNews } = await import('./shell/job-words.js');
    return withNews(result, this.parts.jobs.notes(), this.#told);
  }

  async #answer(params: ShellParams, signal: AbortSignal, onUpdate?: OnUpdate): Promise<ToolResult> {
    const looked = await this.#look(params);
    const call = { params, looked, host: this.host, parts: this.parts };
    if (params.is_background) return (await import('./shell/start-job.js')).startJob(call, signal);
    const manner = this.parts.manner(looked.effects);
    const isHarmless = manner === 'ask-first' && looked.analysis.readOnly && !looked.isOwn;
    if (manner === 'proven' || manner === 'read-only-mount' || isHarmless) {
      const { runLooking } = await import('./shell/run-looking.js');
      return runLooking(call, { manner, signal, onUpdate });
    }
    const plan = await this.plan(params, signal, onUpdate);
    const { settlePlan } = await import('./shell/settle-plan.js');
    return settlePlan(plan, { ...call, judged: looked.isOwn || this.#judged.has(params) }, signal);
  }

  protected override async makePlan(
    params: ShellParams,
    signal: AbortSignal,
    onUpdate?: OnUpdate,
  ): Promise<CommandPlan> {
    const call = { params, looked: await this.#look(params), host: this.host, parts: this.parts };
    const { makeCommandPlan } = await import('./shell/command-plan.js');
    return makeCommandPlan(call, signal, onUpdate);
  }

  protected override async release(plan: CommandPlan): Promise<void> {
    if (plan.kind === 'staged') await plan.run.drop();
  }

  #look(params: ShellParams): Promise<LookedAt> {
    let looked = this.#looked.get(params);
    if (!looked) {
      looked = import('./shell/look-at-command.js').then(({ lookAtCommand }) =>
        lookAtCommand(params, this.host, this.parts),
      );
      this.#looked.set(params, looked);
    }
    return looked;
  }
}
