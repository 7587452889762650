import { ToolError } from '@toolwright/machine/base/errors.js';
import { describe, expect, it } from 'vitest';
import { BaseTool, type ConfirmationDetails, type ToolResult } from './tools.js';

type Params = { path: string };
type Plan = { made: number };

/** Plans when asked, and can be told to fail. */
class PlanningTool extends BaseTool<Params, Plan> {
  plans = 0;
  released: Plan[] = [];
  ran: Plan[] = [];
  fail: unknown = null;

  constructor() {
    super({
      name: 'plan_it',
      displayName: 'PlanIt',
      description: 'Plans something and does it.',
      parameterSchema: {
        type: 'object',
        properties: { path: { type: 'string', minLength: 1 } },
        required: ['path'],
      },
      parameterAliases: { path: ['file'] },
    });
  }

  override getDescription({ path }: Params): string {
    return `Plan ${path}`;
  }

  override effects(): [] {
    return [];
  }

  protected override problem({ path }: Params): string | null {
    return path === 'no' ? 'path: not this one.' : null;
  }

  protected override async makePlan(): Promise<Plan> {
    return { made: ++this.plans };
  }

  protected override async release(plan: Plan): Promise<void> {
    this.released.push(plan);
  }

  protected override async confirmation(params: Params, signal: AbortSignal): Promise<ConfirmationDetails> {
    const { made } = await this.plan(params, signal);
    return { kind: 'info', title: `plan ${made}`, prompt: '', urls: [], effects: [] };
  }

  protected override async run(params: Params, signal: AbortSignal): Promise<ToolResult> {
    if (this.fail) throw this.fail;
    this.ran.push(await this.plan(params, signal));
    return { llmContent: 'done', returnDisplay: 'done' };
  }
}

const never = new AbortController().signal;
const aborted = AbortSignal.abort({ kind: 'user' });

describe('a plan', () => {
  it('is made once for one params object, and shared by the question and the execution', async () => {
    const tool = new PlanningTool();
    const params = Object.freeze({ path: 'a' });
    expect(await tool.shouldConfirmExecute(params, never)).toMatchObject({ title: 'plan 1' });
    expect(await tool.shouldConfirmExecute(params, never)).toMatchObject({ title: 'plan 1' });
    await tool.execute(params, never);
    expect([tool.plans, tool.ran, tool.released]).toEqual([1, [{ made: 1 }], []]);
  });

  it('is made by the execution when nobody asked before, and anew for other params', async () => {
    const tool = new PlanningTool();
    await tool.execute({ path: 'a' }, never);
    await tool.execute({ path: 'a' }, never);
    expect(tool.ran).toEqual([{ made: 1 }, { made: 2 }]);
  });

  it('is released when it will not be executed, once, and only if there was one', async () => {
    const tool = new PlanningTool();
    const params = { path: 'a' };
    await tool.discard(params);
    await tool.shouldConfirmExecute(params, never);
    await tool.discard(params);
    await tool.discard(params);
    expect(tool.released).toEqual([{ made: 1 }]);
    await tool.execute(params, never);
    expect(tool.ran).toEqual([{ made: 2 }]);
  });
});

describe('execute', () => {
  it.each<[string, object, string]>([
    ['what the schema refuses', { path: '' }, 'invalid_params'],
    ['what only the tool can see', { path: 'no' }, 'invalid_params'],
    ['nothing at all', {}, 'invalid_params'],
  ])('answers %s without running', async (_name, params, code) => {
    const tool = new PlanningTool();
    expect(tool.validateToolParams(params as Params)).toEqual(expect.any(String));
    expect((await tool.execute(params as Params, never)).error?.code).toBe(code);
    expect([tool.plans, tool.ran]).toEqual([0, []]);
  });

  it('takes other spellings and coerced values without changing what it was given', async () => {
    const tool = new PlanningTool();
    const params = Object.freeze({ file: 5 }) as unknown as Params;
    expect(tool.validateToolParams(params)).toBeNull();
    expect((await tool.execute(params, never)).error).toBeUndefined();
    expect(params).toEqual({ file: 5 });
  });

  it('does no work for a signal that is aborted already', async () => {
    const tool = new PlanningTool();
    expect((await tool.execute({ path: 'a' }, aborted)).error?.code).toBe('cancelled');
    await expect(tool.shouldConfirmExecute({ path: 'a' }, aborted)).rejects.toBeDefined();
    expect([tool.plans, tool.ran]).toEqual([0, []]);
  });

  it('turns a failure that was expected into a result, and lets a bug through', async () => {
    const tool = new PlanningTool();
    tool.fail = new ToolError('not_found', 'It is not there. Look elsewhere.');
    expect(await tool.execute({ path: 'a' }, never)).toEqual({
      llmContent: 'It is not there. Look elsewhere.',
      returnDisplay: 'It is not there.',
      error: { code: 'not_found', message: 'It is not there. Look elsewhere.' },
    });
    tool.fail = new TypeError('undefined is not a function');
    await expect(tool.execute({ path: 'a' }, never)).rejects.toThrow(TypeError);
  });
});

it('a tool without a plan of its own says so when one is asked for', async () => {
  class Plain extends BaseTool<Params> {
    constructor() {
      super({
        name: 'plain',
        displayName: 'Plain',
        description: 'Nothing.',
        parameterSchema: { type: 'object' },
      });
    }
    override getDescription = () => 'Nothing';
    override effects = (): [] => [];
    protected override async run(params: Params, signal: AbortSignal): Promise<ToolResult> {
      await this.plan(params, signal);
      return { llmContent: '', returnDisplay: '' };
    }
  }
  await expect(new Plain().execute({ path: 'a' }, never)).rejects.toThrow('plain has no plan');
  expect(await new Plain().shouldConfirmExecute({ path: 'a' }, never)).toBe(false);
});
