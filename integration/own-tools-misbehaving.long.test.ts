import { it } from 'vitest';
import { waysNamed } from './own-tools/misbehaving.js';
import { isAnsweredAtItsLimit, promptEnds, toolsRunEnds } from './own-tools/misbehaving-runs.js';

const all = waysNamed.flatMap((way) =>
  (['SIGINT', 'SIGTERM'] as const).map((signal) => [way, signal] as const),
);

it.each(all)('tools run with a tool that %s ends with one %s', toolsRunEnds);

it.each(all)('a prompt with a tool that %s ends with one %s', promptEnds);

it.each(waysNamed)(
  'a tool that %s is answered at its limit, and the same file works at the next call',
  isAnsweredAtItsLimit,
);
