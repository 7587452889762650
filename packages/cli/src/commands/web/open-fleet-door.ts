import type { Engine } from '@toolwright/fleet';
import type { FleetDoor } from '@toolwright/web';
import type { Arguments } from '../../command-line/args.js';

/** The fleet that the page shows: the one that --engine names, else that of this machine once it has one. */
export async function openFleetDoor(args: Arguments): Promise<FleetDoor | null> {
  const { fleetPlace, isFleetFolder, openFleet } = await import('../fleet/open-fleet.js');
  const { place, fleet } = fleetPlace(args);
  if (!args.values.has('engine') && !isFleetFolder(place)) return null;
  const { isOnServers } = await import('@toolwright/fleet');
  const words = isOnServers(place) ? `${fleet} at ${place.split(',').join(', ')}` : place;
  const { ownRedactor } = await import('../fleet/work/own-secrets.js');
  const redactor = await ownRedactor(args);
  return doorOf(await openFleet(args), words, redactor.text);
}

async function doorOf(engine: Engine, place: string, safe: (text: string) => string): Promise<FleetDoor> {
  const fleet = await import('@toolwright/fleet');
  const find = (id: string) => fleet.requireRecord(engine, id);
  return {
    place,
    now: () => engine.now(),
    status: () => fleet.statusOf(engine),
    records: () => fleet.records(engine),
    async read(id) {
      const record = await find(id);
      const questions = await fleet.questionsOf(engine, record);
      return { record, questions, journal: await fleet.journalOf(engine, record) };
    },
    readPatch: async (id) => fleet.patchOfTask(engine, await find(id)),
    async answer(question, { agrees, reason }) {
      const given = { agrees, reason: reason === undefined ? undefined : safe(reason) };
      return (await fleet.answerDigest(engine, question, given)) !== null;
    },
    async cancel(id) {
      const isCancelled = await fleet.cancelTask(engine, await find(id));
      if (isCancelled) await fleet.afterCancelling(engine, [id]);
      return isCancelled;
    },
    retry: async (id) => (await fleet.retryTasks(engine, ({ task }) => task.id === id)) > 0,
    listen: (onEvent, signal) => engine.listen(onEvent, signal),
    close: () => engine.close(),
  };
}
