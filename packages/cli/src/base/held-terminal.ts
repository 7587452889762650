/** Writes that wait while a question stands on the terminal: what is drawn in place there must not be printed over. */
const waiting: (() => void)[] = [];
let holders = 0;

/** Keeps the terminal for a question; gives the function that gives it back. */
export function holdTerminal(): () => void {
  holders += 1;
  return () => {
    holders -= 1;
    if (holders === 0) for (const write of waiting.splice(0)) write();
  };
}

/** Writes now, or in its order once the question is gone. */
export function writeOnceFree(write: () => void): void {
  if (holders > 0) waiting.push(write);
  else write();
}
