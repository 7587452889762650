import { formatCommand } from '@toolwright/machine/base/configuration/command-words.js';
import type { Effect } from '@toolwright/machine/base/effect.js';
import type { JsonSchema } from '@toolwright/machine/base/json.js';
import { deadlineIn } from '@toolwright/machine/host/deadline.js';
import { BaseTool, type ConfirmationDetails, type OnUpdate, type ToolResult } from '../tools.js';
import { type ConfinementState, type ProgramAccess, type RunProgram, usualAccess } from './program.js';
import { resultOf } from './program-result.js';

type Params = Record<string, unknown>;

export interface ProgramToolSpec {
  name: string;
  description: string;
  parameterSchema: JsonSchema;
  /** The program and its arguments; the arguments of the call come as JSON on its standard input. */
  words: readonly string[];
  timeoutMs?: number;
  access?: ProgramAccess;
  /** Effects of a call; without them every call is asked about. */
  effects?(params: Params): Effect[];
}

export interface ProgramToolNeeds {
  run: RunProgram;
  /** The folder programs start in: the workspace. */
  directory: string;
  /** Paths outside the workspace that the program must be able to read. */
  readable?: readonly string[];
  confinement?: ConfinementState | undefined;
}

const TIMEOUT_MS = 120_000;
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
const KEPT = { headBytes: MAX_OUTPUT_BYTES, tailBytes: 64 * 1024 };
const SHOWN_ARGUMENTS = 120;
const LOOK_LIMIT_MS = 10_000;

/** A tool that is a program: JSON on standard input, the answer on standard output, its status decides. */
export class ProgramTool extends BaseTool<Params> {
  constructor(
    protected readonly spec: ProgramToolSpec,
    private readonly needs: ProgramToolNeeds,
  ) {
    super({
      name: spec.name,
      displayName: spec.name,
      description: spec.description,
      parameterSchema: spec.parameterSchema,
    });
  }

  override getDescription(params: Params): string {
    const text = JSON.stringify(params);
    return `${this.name} ${text.length > SHOWN_ARGUMENTS ? `${text.slice(0, SHOWN_ARGUMENTS)}…` : text}`;
  }

  /** Effects that a program declares hold only where a sandbox lets it do no more. */
  override async effects(params: Params): Promise<Effect[] | undefined> {
    const declared = this.spec.effects?.(params);
    if (declared === undefined || !this.needs.confinement) return declared;
    const { confined } = await this.needs.confinement(deadlineIn(LOOK_LIMIT_MS));
    return confined ? declared : undefined;
  }

  protected override async confirmation(
    params: Params,
    signal: AbortSignal,
  ): Promise<ConfirmationDetails | false> {
    const effects = await this.effects(params);
    // A manifest that declares no change is held to it by the sandbox; there is nothing to ask about.
    if (effects?.every(({ kind }) => kind === 'read')) return false;
    const confinement = await this.needs.confinement?.(signal);
    return {
      kind: 'info',
      title: this.getDescription(params),
      prompt: [
        `Run ${formatCommand(this.spec.words)} with this on its standard input?`,
        JSON.stringify(params, null, 2),
        ...(confinement ? [`${confinement.sentence}; ${this.#access()}`] : []),
      ].join('\n'),
      urls: [],
      effects: effects ?? [],
    };
  }

  #access(): string {
    const { write, network } = this.spec.access ?? usualAccess;
    const workspace = write ? "change the workspace, which can't be undone," : 'only read the workspace,';
    return `it may ${workspace} ${network ? 'with' : 'without'} network`;
  }

  protected override async run(
    params: Params,
    signal: AbortSignal,
    onUpdate?: OnUpdate,
  ): Promise<ToolResult> {
    const limits = { timeoutMs: this.spec.timeoutMs ?? TIMEOUT_MS, maxOutputBytes: MAX_OUTPUT_BYTES };
    const { words, access = usualAccess } = this.spec;
    const { directory, readable = [] } = this.needs;
    const ended = await this.needs.run(
      { words, directory, access, readable },
      {
        ...limits,
        signal,
        keep: KEPT,
        input: JSON.stringify(params),
        // Progress is what a program says beside its answer.
        onOutput: (text, stream) => void (stream === 'stderr' && onUpdate?.(text)),
      },
    );
    return resultOf(this.name, ended, limits);
  }
}
