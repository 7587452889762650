import type { State } from '@toolwright/core';
import { agentNames, type HomeFindings, type OtherAgent, plural } from '@toolwright/core/front-end';
import { askYesOrNo } from '../../app/yes-no.js';
import type { Arguments } from '../../command-line/args.js';
import type { Front } from '../../ui/front.js';
import { say } from '../say.js';
import { carryExtensions } from './carry-extensions.js';
import { withImportPlan } from './import-plan.js';

interface OfferNeeds {
  home: string;
  /** The other agents whose homes are there. */
  agents: readonly OtherAgent[];
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
  { home, agents, front, state, stateFolder, signal }: OfferNeeds,
): Promise<boolean> {
  if ((await state.readJson('import-offer')) !== null) return false;
  return withImportPlan({ agents, home, stateFolder, signal }, async (plan) => {
    if (plan.isEmpty) return false;
    const names = agents.map((agent) => agentNames[agent]).join(', ');
    const agreed = await askYesOrNo(
      {
        title: `Import your ${names} setup?`,
        facts: [
          'It is one change of ~/.toolwright, which toolwright undo takes back; toolwright import shows every line of it. Extensions stay off until you accept their pages.',
        ],
        text: plan.all.map(summaryOf).join('\n'),
        yes: 'yes',
        no: "no, and don't ask again (toolwright import does it later)",
      },
      front.ask,
      signal,
    );
    if (signal.aborted) return false;
    await state.updateJson('import-offer', () => ({ answered: agreed }), signal);
    if (!agreed) return false;
    say(front, plan.text, 'plain');
    say(front, await plan.carryOut(signal), 'plain');
    const said = await carryExtensions(plan.all, { args, signal, answer: async () => 'off' });
    if (said.length > 0) say(front, said.join('\n'), 'plain');
    return true;
  });
}

/** A single line, so that the question fits a screen and one key answers it; the whole plan is shown when it is carried out. */
function summaryOf({
  agent,
  servers,
  settings,
  rules,
  hooks,
  files,
  extensions,
  left,
}: HomeFindings): string {
  const counts: [number, string][] = [
    [servers.size, 'MCP server'],
    [settings.length, 'setting'],
    [rules.deny.size + rules.ask.size, 'rule'],
    [hooks.length, 'hook'],
    [files.length, 'file'],
  ];
  const parts = [
    ...counts.filter(([count]) => count > 0).map(([count, noun]) => plural(count, noun)),
    ...(rules.allow.size > 0 ? [`${plural(rules.allow.size, 'rule')} to allow something, switched off`] : []),
    ...(extensions.length > 0 ? [`${plural(extensions.length, 'extension')}, switched off`] : []),
  ];
  const rest = left.length === 0 ? '' : `; not: ${plural(left.length, 'part')}`;
  return `${agentNames[agent]}: ${parts.join(', ') || 'nothing'}${rest}`;
}
