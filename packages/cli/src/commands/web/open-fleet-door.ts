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
  return doorOf(await openFleet(args), words);
}

async function doorOf(engine: Engine, place: string): Promise<FleetDoor> {
  const fleet = await import('@toolwright/fleet');
  const find = (id: string) => fleet.requireRecord(engine, id);
  return {
    place,
    now: () => engine.now(),
    status: () => fleet.statusOf(engine),
    records: () => fleet.records(engine),
    async read(id) {
      const record = await find(id);
      return { record, journal: await fleet.journalOf(engine, record) };
    },
    readPatch: async (id) => fleet.patchOfTask(engine, await find(id)),
    answer: async (question, answer) => (await fleet.answerDigest(engine, question, answer)) !== null,
    cancel: async (id) => fleet.cancelTask(engine, await find(id)),
    retry: async (id) => (await fleet.retryTasks(engine, ({ task }) => task.id === id)) > 0,
    listen: (onEvent, signal) => engine.listen(onEvent, signal),
    close: () => engine.close(),
  };
}
