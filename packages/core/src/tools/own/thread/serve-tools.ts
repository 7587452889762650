import { messageOf, ToolError } from '@toolwright/machine/base/errors.js';
import { deepFreeze } from '@toolwright/machine/base/json.js';
import { kernelThread } from '@toolwright/machine/host/platform/linux-threads.js';
import type { NamedRoot } from '@toolwright/machine/host/workspace.js';
import type { Asker, OnUpdate, Tool } from '../../tools.js';
import { fileTool } from '../file-tool.js';
import { toolsIn } from '../tool-shape.js';
import { PlainData } from './crossing-values.js';
import { runToolFile, type ToolFileCode } from './load-tool-file.js';
import { RemoteCalls, type ThreadEnd } from './remote-calls.js';
import { type HostFacts, threadHost } from './thread-host.js';
import { factsOfTool, prepare } from './tool-facts.js';

/** A call of one member of a tool, as the program sends it. */
export interface MemberCall {
  /** Name of the tool. */
  tool: string;
  member: 'prepare' | 'effects' | 'shouldConfirmExecute' | 'execute' | 'discard' | 'modify';
  /** Params are sent once and named by this number afterwards: tools keep plans by the identity of params. */
  key: number;
  params?: PlainData;
  /** Further arguments before the signal. */
  more: unknown[];
  signal?: AbortSignal | undefined;
  onUpdate?: OnUpdate | undefined;
  /** Roots of the workspace, when there are more than before. */
  roots?: NamedRoot[];
}

/** Runs one tool file in this thread and answers calls of its tools. */
export function serveTools(end: ThreadEnd, core: () => Promise<object>): void {
  const known = new Map<number, object>();
  let tools: Tool[] = [];
  let facts: HostFacts;
  const program: RemoteCalls = new RemoteCalls(end, {
    async load(file: ToolFileCode, given: HostFacts) {
      facts = given;
      tools = await toolsOf(file, { core, facts, program });
      return new PlainData(tools.map(factsOfTool));
    },
    async call({ tool: name, member, key, roots, ...call }: MemberCall & { params?: object }) {
      const tool = tools.find((each) => each.name === name);
      if (!tool) throw new ToolError('failed', otherTools(name));
      if (call.params !== undefined) known.set(key, deepFreeze(call.params));
      if (roots) facts.roots.splice(0, facts.roots.length, ...roots);
      const result = await resultOf(tool, member, { ...call, params: known.get(key) as object });
      if (member !== 'modify') return new PlainData(result);
      const modified = ++lastModified;
      known.set(-modified, result as object);
      return { key: -modified, params: new PlainData(result) };
    },
    forget: (key: number) => void known.delete(key),
    resources: () => process.getActiveResourcesInfo(),
  });
  let lastModified = 0;
  void program.call('started', kernelThread()).catch(() => undefined);
}

function otherTools(name: string): string {
  return `${name} was not run: its file offers other tools today than when it was last run. They take effect with the next prompt.`;
}

interface Arguments extends Pick<MemberCall, 'more' | 'signal' | 'onUpdate'> {
  params: object;
}

function resultOf(
  tool: Tool,
  member: MemberCall['member'],
  { params, more, signal, onUpdate }: Arguments,
): unknown {
  switch (member) {
    case 'prepare':
      return prepare(tool, params);
    case 'effects':
      return tool.effects?.(params, more[0] as Asker | undefined, signal);
    case 'discard':
      return tool.discard?.(params);
    case 'modify':
      return tool.modify?.(params, more[0] as string, signal as AbortSignal);
    case 'execute':
    case 'shouldConfirmExecute':
      return tool[member](params, signal as AbortSignal, onUpdate);
  }
}

interface Surroundings {
  core(): Promise<object>;
  facts: HostFacts;
  program: RemoteCalls;
}

async function toolsOf(file: ToolFileCode, { core, facts, program }: Surroundings): Promise<Tool[]> {
  const onStray = (message: string): void => void program.call('stray', message).catch(() => undefined);
  const { exports, placeOf } = await runToolFile(file, { core, onStray });
  try {
    return toolsIn(exports, threadHost(facts, program)).map((tool) => fileTool(tool, file.path, placeOf));
  } catch (error) {
    throw new Error(`${placeOf(error) ?? file.path}: ${messageOf(error)}`, { cause: error });
  }
}
