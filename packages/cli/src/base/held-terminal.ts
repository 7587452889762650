/** Writes that wait while a question stands on the terminal: what is drawn in place there must not be printed over. */
const waiting: (() => void)[] = [];
let holders = 0;

/** Keeps the terminal for a question; gives the function that gives it back. */
export function holdTerminal(): () => void {
  holders += 1;
  if (holders === 1) process.on('exit', writeWaiting);
  return () => {
    holders -= 1;
    if (holders > 0) return;
    process.off('exit', writeWaiting);
    writeWaiting();
  };
}

/** A program that ends with the question open must not keep its warnings to itself. */
function writeWaiting(): void {
  for (const write of waiting.splice(0)) write();
}

/** Writes now, or in its order once the question is gone. */
export function writeOnceFree(write: () => void): void {
  if (holders > 0) waiting.push(write);
  else write();
}
