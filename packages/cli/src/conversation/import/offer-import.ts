import { agentNames, otherHomes, type State, usableHome } from '@toolwright/core';
import { askYesOrNo } from '../../app/yes-no.js';
import type { Arguments } from '../../command-line/args.js';
import type { Front } from '../../ui/front.js';
import { say } from '../say.js';
import { carryExtensions } from './carry-extensions.js';
import { withImportPlan } from './import-plan.js';

interface OfferNeeds {
  front: Front;
  state: State;
  stateFolder: string;
  signal: AbortSignal;
}

/**
 * Asks once, at the first conversation on a machine, whether what was set up for another agent comes over. True when something
 * did.
 */
export async function offerImport(
  args: Arguments,
  { front, state, stateFolder, signal }: OfferNeeds,
): Promise<boolean> {
  const home = usableHome(process.env);
  const agents = home === undefined ? [] : otherHomes(home);
  if (home === undefined || agents.length === 0) return false;
  if ((await state.readJson('import-offer')) !== null) return false;
  return withImportPlan({ agents, home, stateFolder, signal }, async (plan) => {
    if (plan.isEmpty) return false;
    const names = agents.map((agent) => agentNames[agent]).join(', ');
    const agreed = await askYesOrNo(
      {
        title: `Bring over what you have set up for ${names}?`,
        facts: [
          'It is one change of ~/.toolwright, which toolwright undo takes back; toolwright import shows every line of it. Extensions stay off until you accept their pages.',
        ],
        text: plan.text,
        yes: 'yes',
        no: 'no; not asked again (toolwright import does it later)',
      },
      front.ask,
      signal,
    );
    if (signal.aborted) return false;
    await state.updateJson('import-offer', () => ({ answered: agreed }), signal);
    if (!agreed) return false;
    say(front, await plan.carryOut(signal), 'plain');
    const said = await carryExtensions(plan.all, { args, signal, answer: async () => 'off' });
    if (said.length > 0) say(front, said.join('\n'), 'plain');
    return true;
  });
}
