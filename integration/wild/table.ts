/** Rows under a title, in columns. */
export function table(title: string, rows: readonly (readonly string[])[]): string {
  const widths = rows.reduce<number[]>(
    (now, row) => row.map((cell, column) => Math.max(now[column] ?? 0, cell.length)),
    [],
  );
  const lines = rows.map(
    (row) =>
      `  ${row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd()}`,
  );
  return `${title}\n${lines.join('\n')}`;
}
