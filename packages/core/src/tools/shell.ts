import type { Effect } from '@toolwright/machine/base/effect.js';
import type { CommandFacts, ShellCall, ShellHost, ShellNeeds, ShellParams } from './shell/call.js';
import type { CommandPlan } from './shell/command-plan.js';
import { outsideProblem, outsideSchema } from './shell/outside/outside-params.js';
import { type Asker, BaseTool, type ConfirmationDetails, type OnUpdate, type ToolResult } from './tools.js';

/** Below the limit that every call has. */
const LONGEST_MS = 1_740_000;

/**
 * Runs a command line: facts, route, question, run, report, in this order. Each step is loaded with the first command,
 * because most prompts run none.
 */
export class ShellTool extends BaseTool<ShellParams, CommandPlan> {
  readonly #facts = new WeakMap<ShellParams, Promise<CommandFacts>>();
  readonly #calls = new WeakMap<ShellParams, Promise<ShellCall>>();
  /** Calls whose question was about their changes. */
  readonly #askedAfter = new WeakSet<ShellParams>();
  /** Notes about jobs that were already given. */
  readonly #givenNotes = new Set<string>();

  constructor(
    private readonly host: ShellHost,
    private readonly needs: ShellNeeds,
  ) {
    super({
      name: 'run_shell_command',
      displayName: 'Shell',
      effectKinds: ['execute'],
      description:
        'Runs a command line with bash and returns what it printed (both streams, in order) and how it ended. There ' +
        'is no terminal and nothing to read from standard input: use options that ask no questions. Each call is a ' +
        'new shell: cd and variables do not last. Unless it only reads, it runs on a copy of the workspace, without ' +
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
            description: 'For servers and watchers: it becomes a job, and the call returns at once.',
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

  override async effects(params: ShellParams, by?: Asker): Promise<Effect[]> {
    return (await this.#factsOf(this.accepted(params), by)).effects;
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
    const call = await this.#callOf(params, signal);
    switch (call.route.kind) {
      case 'direct':
      case 'read-only':
        return false;
      case 'ask-first':
      case 'job':
        return (await import('./shell/questions.js')).askBefore(call);
      case 'staged': {
        const plan = await this.plan(params, signal, onUpdate);
        if (plan.kind !== 'staged') return false;
        this.#askedAfter.add(params);
        return (await import('./shell/questions.js')).askAfter(call, plan);
      }
    }
  }

  protected override async run(
    params: ShellParams,
    signal: AbortSignal,
    onUpdate?: OnUpdate,
  ): Promise<ToolResult> {
    const result = await this.#runRouted(await this.#callOf(params, signal), signal, onUpdate);
    const { withNews } = await import('./shell/job-words.js');
    return withNews(result, this.needs.jobs.notes(), this.#givenNotes);
  }

  async #runRouted(call: ShellCall, signal: AbortSignal, onUpdate?: OnUpdate): Promise<ToolResult> {
    const { params, route, facts } = call;
    switch (route.kind === 'ask-first' ? route.runs : route.kind) {
      case 'job':
        return (await import('./shell/start-job.js')).startJob(call, signal);
      case 'direct':
      case 'read-only':
        return (await import('./shell/run-read-only.js')).runReadOnly(call, signal, onUpdate);
      case 'staged':
      case 'in-workspace': {
        const plan = await this.plan(params, signal, onUpdate);
        const { settlePlan } = await import('./shell/settle-plan.js');
        return settlePlan(plan, { ...call, agreed: facts.isOwn || this.#askedAfter.has(params) }, signal);
      }
    }
  }

  protected override async makePlan(
    params: ShellParams,
    signal: AbortSignal,
    onUpdate?: OnUpdate,
  ): Promise<CommandPlan> {
    const { makeCommandPlan } = await import('./shell/command-plan.js');
    return makeCommandPlan(await this.#callOf(params, signal), signal, onUpdate);
  }

  protected override async release(plan: CommandPlan): Promise<void> {
    if (plan.kind === 'staged') await plan.run.drop();
  }

  /** The scheduler asks for effects first and says who asked; whoever asks later gets the same facts. */
  #factsOf(params: ShellParams, by?: Asker): Promise<CommandFacts> {
    let facts = this.#facts.get(params);
    if (!facts) {
      const { host, needs } = this;
      facts = import('./shell/examine-command.js').then(({ examineCommand }) =>
        examineCommand({ params, host, needs }, by),
      );
      this.#facts.set(params, facts);
    }
    return facts;
  }

  /** The call with its route, which is decided once: modes and rules may change while a question is open. */
  #callOf(params: ShellParams, signal: AbortSignal): Promise<ShellCall> {
    let call = this.#calls.get(params);
    if (!call) {
      const { host, needs } = this;
      call = this.#factsOf(params).then(async (facts) => {
        const route = await needs.permission.route(facts.effects, signal);
        return { params, facts, route, host, needs };
      });
      this.#calls.set(params, call);
    }
    return call;
  }
}
