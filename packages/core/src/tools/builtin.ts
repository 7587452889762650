import type { PlannedChanges } from '../changes/change-set.js';
import type { SeenFiles } from '../changes/seen-files.js';
import type { Host } from '../host/host.js';
import { GlobTool } from './glob.js';
import { GrepTool } from './grep.js';
import { LSTool } from './ls.js';
import { ReadFileTool } from './read-file.js';
import { ReadManyFilesTool } from './read-many-files.js';
import type { Tool } from './tools.js';

/** What the built-in tools stand on. */
export interface BuiltinParts {
  host: Host;
  /** Carries out a planned change; gives the id of the change set. */
  commit(planned: PlannedChanges, signal: AbortSignal): Promise<string>;
  /** Paths that rules keep from the model. */
  hidden(path: string): boolean;
  /** What the model has seen; without it a change needs no reading before. */
  seen?: SeenFiles;
}

/** The built-in tools in the order the model sees them. A new tool is one line here. */
export function builtinTools({ host, hidden }: BuiltinParts): Tool[] {
  return [
    new LSTool(host, { hidden }),
    new ReadFileTool(host),
    new GrepTool(host, { hidden }),
    new GlobTool(host, { hidden }),
    new ReadManyFilesTool(host, { hidden }),
  ];
}
