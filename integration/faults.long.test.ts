import { describe, it } from 'vitest';
import { canMakeFaults, faults, tryFault } from './faults/try-fault.js';

describe.runIf(canMakeFaults)(
  'every command ends with a sentence and loses nothing, whatever is wrong with the machine;',
  () => {
    it.each(faults.filter(({ onlyOrdinary }) => !onlyOrdinary))('it does so with $name, as root', (fault) =>
      tryFault(fault, 'root'),
    );
  },
);
