/** Text as a user reads it: without colours, cursor movement, titles and other control characters. */
export function withoutSequences(text: string): string {
  return (
    text
      // Window titles and the like, then colours and cursor movement, then what is left of control characters.
      .replace(/\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?/g, '')
      .replace(/\x1b\[[0-?]*[ -/]*[@-~]/g, '')
      .replace(/\x1b[ -/]*[0-~]/g, '')
      .replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/g, '')
  );
}
