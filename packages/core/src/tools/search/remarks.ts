import { plural } from '@toolwright/machine/base/amounts.js';
import type { WalkEnd } from './walk.js';

export function hiddenRemark(count: number): string[] {
  return count === 0 ? [] : [`[${plural(count, 'file')} hidden by rules.]`];
}

/** Why an answer may not be whole. */
export function unreadRemarks({ stopped, problems }: WalkEnd): string[] {
  const remarks = problems.length > 0 ? [`[Could not be read: ${problems.join('; ')}.]`] : [];
  if (stopped !== null) remarks.push(`[${sentences[stopped]} Use a narrower path to see everything.]`);
  return remarks;
}

const sentences = {
  caller: 'Stopped at a limit: there is more.',
  bytes: 'Stopped because there was too much output.',
  time: 'Stopped at the time limit before everything was looked at.',
};
