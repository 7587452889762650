import { flowsOf } from './terminal/flows.js';
import { isLeftBehindAtItsLimit, isLeftBehindByCtrlC, oneSignalEnds } from './terminal/misbehaving-flows.js';

/** A thread that can be ended, and one that can not; the other ways are tried without a terminal, and in the long test. */
const [endable, blocked] = ['spins', 'reads a pipe that nobody writes to'] as const;
const flow = flowsOf('tools that do not stop');

flow(`one SIGTERM ends the program while a tool ${blocked}`, () => oneSignalEnds(blocked, 'SIGTERM'));

flow(`a tool that ${endable} is left behind at its limit, and the next call works`, () =>
  isLeftBehindAtItsLimit(endable),
);

flow(`Ctrl+C leaves a tool behind that ${endable}, and the program goes on`, () =>
  isLeftBehindByCtrlC(endable),
);
