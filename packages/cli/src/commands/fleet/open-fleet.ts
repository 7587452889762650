import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { stateFolderPath } from '@toolwright/core/front-end';
import { type Engine, isOnServers, openEngine, usualTimes } from '@toolwright/fleet';
import { UsageError } from '../../base/exit-codes.js';
import type { Arguments } from '../../command-line/args.js';

export function leaseOf({ values }: Arguments): number {
  const given = values.get('lease');
  if (given === undefined) return usualTimes.leaseMs;
  const seconds = Number(given);
  if (seconds >= 1 && seconds <= 3_600) return seconds * 1_000;
  throw new UsageError(`--lease ${given}: must be a number from 1 to 3600.`);
}

/** Gives the place of the fleet: the value of --engine, or a folder of its own in the state folder. */
export function fleetPlace({ values }: Arguments): { place: string; fleet: string } {
  const fleet = values.get('name') ?? 'default';
  if (!/^[A-Za-z0-9_-]{1,40}$/.test(fleet))
    throw new UsageError(`--name ${fleet}: use letters, digits, _ and -, 40 at most.`);
  const place = values.get('engine') ?? join(stateFolderPath(process.env), 'fleet', fleet);
  if (/^\w+:\/\//.test(place) && !isOnServers(place))
    throw new UsageError(`--engine ${place}: it takes a folder, nats://host:port or tls://host:port.`);
  if (isFile(place)) throw new UsageError(`--engine ${place}: it is not a folder.`);
  return { place, fleet };
}

/** True if a fleet was used in this folder. Looking for one must not make it. */
export function isFleetFolder(place: string): boolean {
  return existsSync(place);
}

export async function openFleet(args: Arguments): Promise<Engine> {
  const { values, switches } = args;
  return openEngine({
    ...fleetPlace(args),
    credentials: values.get('creds'),
    tlsAuthority: values.get('tls-ca'),
    tlsCertificate: values.get('tls-cert'),
    tlsKey: values.get('tls-key'),
    insecure: switches.has('insecure'),
    times: { leaseMs: leaseOf(args) },
  });
}

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function isFile(place: string): boolean {
  return statSync(place, { throwIfNoEntry: false })?.isDirectory() === false;
}

/** The fleet for one piece of work. */
export async function withFleet<Result>(
  args: Arguments,
  work: (engine: Engine) => Promise<Result>,
): Promise<Result> {
  const engine = await openFleet(args);
  try {
    return await work(engine);
  } finally {
    await engine.close();
  }
}
