import type { Host } from '../host.js';
import type { StateFolder } from '../state/state-folder.js';

export interface ProcessesOptions extends Pick<Host, 'clock' | 'ids' | 'log'> {
  /** Most memory of each tree: `4g`, `50%` or `none`; default: half of the machine's. */
  memory?: string;
  /** Keeps a record of what runs, so that the next start can end what a killed one left. */
  state?: Pick<StateFolder, 'make' | 'pathOf' | 'exists'>;
}
