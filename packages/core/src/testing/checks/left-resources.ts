import type { Tool } from '../../tools/tools.js';

const WATCHED = [
  'ProcessWrap',
  'PipeWrap',
  'TCPSocketWrap',
  'TCPServerWrap',
  'MessagePort',
  'Timeout',
  'FSReqPromise',
];
const CLOSING_ATTEMPTS = 50;

export async function resourceCounts(tool: Tool): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  const there = (await tool.activeResources?.()) ?? [];
  for (const name of [...process.getActiveResourcesInfo(), ...there])
    counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** Resources that are closing get a moment to be gone. */
export async function leftResources(tool: Tool, before: Map<string, number>): Promise<string[]> {
  for (let attempt = 1; ; attempt++) {
    const after = await resourceCounts(tool);
    const left = WATCHED.filter((name) => (after.get(name) ?? 0) > (before.get(name) ?? 0));
    if (left.length === 0 || attempt === CLOSING_ATTEMPTS) return left;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
