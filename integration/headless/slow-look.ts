import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A tool of the user that only reads, and takes until it is let go. */
export interface SlowLook {
  call: { name: string; arguments: Record<string, unknown> };
  /** Gives the tool to the user with this home. */
  install(home: string): void;
  /** The number of times that it began. */
  begun(): number;
  letGo(): void;
}

export function createSlowLook({ home, workspace }: { home: string; workspace: string }): SlowLook {
  const [begun, goes] = [join(home, 'slow-look-begun'), join(home, 'slow-look-goes')];
  const source = `import { appendFileSync, existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineTool } from '@toolwright/core';
export default defineTool<Record<string, unknown>>({
  apiVersion: 1, name: 'slow_look', description: 'Looks at a.txt for a long time.',
  parameters: { type: 'object', properties: {} },
  effects: () => [{ kind: 'read', path: ${JSON.stringify(join(workspace, 'a.txt'))} }],
  async run() {
    appendFileSync(${JSON.stringify(begun)}, '.');
    while (!existsSync(${JSON.stringify(goes)})) await sleep(20);
    return 'Seen at last.';
  },
});
`;
  return {
    call: { name: 'slow_look', arguments: {} },
    install(place) {
      const path = join(place, '.toolwright/tools/slow_look.ts');
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      writeFileSync(path, source);
    },
    begun: () => (existsSync(begun) ? readFileSync(begun, 'utf8').length : 0),
    letGo: () => writeFileSync(goes, ''),
  };
}
