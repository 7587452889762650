import { it } from 'vitest';
import { breakOff, stages, tidyStreams, type Wire } from './headless/stream-drops.js';

tidyStreams();

it.each<Wire>(['openai-responses', 'anthropic', 'gemini'])(
  'a stream that breaks off is asked for again where it was not whole, at every stage of %s, and nothing runs twice',
  async (wire) => {
    for (const stage of stages) await breakOff(wire, stage);
  },
);
