import { describe, it } from 'vitest';
import { canMakeFaults, faults, tryFault } from './faults/try-fault.js';

describe.runIf(canMakeFaults)(
  'every command ends with a sentence and loses nothing, whatever is wrong with the machine;',
  () => {
    it.each(faults)('it does so with $name, as ordinary user', (fault) => tryFault(fault, 'ordinary user'));

    const [fullAtFirst] = faults.filter(({ early }) => early);
    it('it does so with a full HOME at the first start, as root', () => tryFault(fullAtFirst!, 'root'));
  },
);
