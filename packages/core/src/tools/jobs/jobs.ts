import type { Effect } from '@toolwright/machine/base/effect.js';
import type { Host } from '@toolwright/machine/host/host.js';
import type { Job, Jobs } from '@toolwright/machine/host/jobs/jobs.js';
import { describeJob } from '../shell/job-words.js';
import { plainOutput } from '../shell/output/plain-output.js';
import { BaseTool, type ToolResult } from '../tools.js';

type JobsParams = {
  action: 'list' | 'output' | 'stop' | 'input';
  id?: string;
  after?: number;
  text?: string;
};

const LOOK_MS = 1_500;

/** Offered once there is a job. */
export class JobsTool extends BaseTool<JobsParams> {
  constructor(
    private readonly host: Pick<Host, 'workspace'>,
    private readonly jobs: Jobs,
  ) {
    super({
      name: 'jobs',
      displayName: 'Jobs',
      effectKinds: ['execute'],
      description:
        'Commands that run in the background: list them, read the output of one (after: the place named by the last ' +
        'answer), stop one, or type a line of text into one that waits for input.',
      parameterSchema: {
        type: 'object',
        properties: {
          action: { type: 'string', enum: ['list', 'output', 'stop', 'input'] },
          id: { type: 'string', description: 'Which job; not needed to list.' },
          after: { type: 'integer', minimum: 0, description: 'Output from this byte on.' },
          text: { type: 'string', description: 'What to type; a line end is added.' },
        },
        required: ['action'],
      },
    });
  }

  override getDescription({ action, id, text }: JobsParams): string {
    switch (action) {
      case 'list':
        return 'List jobs';
      case 'output':
        return `Read the output of ${id}`;
      case 'stop':
        return `Stop ${id}`;
      case 'input':
        return `Type ${JSON.stringify(text)} into ${id}`;
    }
  }

  /** Typing into a program can make it do anything it is able to do. */
  override effects({ action, id, text }: JobsParams): Effect[] {
    if (action !== 'input') return [];
    return [
      {
        kind: 'execute',
        command: `${JSON.stringify(text)} typed into ${id}`,
        directory: this.host.workspace.directory,
        readOnly: false,
        network: false,
        background: true,
        commands: null,
      },
    ];
  }

  protected override problem({ action, id, text }: JobsParams): string | null {
    if (action !== 'list' && !id) return `id is missing: which job? ${'"list" shows them.'}`;
    return action === 'input' && text === undefined ? 'text is missing: what should be typed?' : null;
  }

  protected override async run(
    { action, id = '', after, text = '' }: JobsParams,
    signal: AbortSignal,
  ): Promise<ToolResult> {
    switch (action) {
      case 'list':
        return listed(await this.jobs.list());
      case 'output':
        return this.#output(id, after);
      case 'stop':
        return listed([await this.jobs.stop(id, { kind: 'user', message: 'by the jobs tool' })]);
      case 'input':
        return this.#input(id, text, signal);
    }
  }

  /** Types, then looks for a moment what comes of it. */
  async #input(id: string, text: string, signal: AbortSignal): Promise<ToolResult> {
    const { bytes } = await this.jobs.get(id);
    await this.jobs.input(id, `${text}\n`, 'model');
    await this.jobs.untilEndedOrWaiting(id, { timeoutMs: LOOK_MS, signal });
    return this.#output(id, bytes);
  }

  async #output(id: string, after: number | undefined): Promise<ToolResult> {
    const { text, next, dropped, isAtEnd, job } = await this.jobs.output(id, { after });
    const printed = plainOutput(text).trimEnd();
    const before = dropped > 0 ? [`[${dropped} bytes before this are not kept any more]`] : [];
    const saying = (state: string): string =>
      [printed === '' ? '(no output)' : printed, ...before, `[${state}]`].join('\n');
    const more = `${isAtEnd ? 'That is all so far' : 'There is more'}; continue with after: ${next}`;
    return {
      llmContent: saying(`${line(job, 'model')}. ${more}`),
      returnDisplay: saying(line(job, 'user')),
    };
  }
}

/** Advice about a job differs for the model and for the user. */
function line(job: Job, reader: 'model' | 'user'): string {
  return `${job.id} (${job.command.slice(0, 200)}): ${describeJob(job, reader)}`;
}

function listed(jobs: readonly Job[]): ToolResult {
  const lines = (reader: 'model' | 'user'): string =>
    jobs.map((job) => line(job, reader)).join('\n') || 'There are no jobs.';
  return { llmContent: lines('model'), returnDisplay: lines('user') };
}
