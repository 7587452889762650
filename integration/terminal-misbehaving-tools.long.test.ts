import { waysNamed } from './own-tools/misbehaving.js';
import { flowsOf } from './terminal/flows.js';
import { isLeftBehindAtItsLimit, isLeftBehindByCtrlC, oneSignalEnds } from './terminal/misbehaving-flows.js';

const flow = flowsOf('tools that do not stop');

for (const way of waysNamed) {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    flow(`one ${signal} ends the program while a tool ${way}`, () => oneSignalEnds(way, signal));
  flow(`a tool that ${way} is left behind at its limit, and the next call works`, () =>
    isLeftBehindAtItsLimit(way),
  );
  flow(`Ctrl+C leaves a tool behind that ${way}, and the program goes on`, () => isLeftBehindByCtrlC(way));
}
