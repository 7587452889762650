/** Formats numbers for people. Without Intl, whose first use costs tens of milliseconds. */

export function formatBytes(bytes: number): string {
  if (bytes < 1024) return plural(bytes, 'byte');
  const units = ['kB', 'MB', 'GB', 'TB'];
  let value = bytes / 1024;
  let unit = 0;
  while (value >= 1023.95 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${formatNumber(Number(value.toFixed(1)))} ${units[unit]}`;
}

/** A number with commas between its thousands. */
export function formatNumber(value: number): string {
  const [whole = '', fraction] = String(value).split('.');
  const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** Formats an estimate with two significant digits. */
export function formatAbout(value: number): string {
  return formatNumber(Number(value.toPrecision(2)));
}

/** A count with its noun, such as `1 file` or `1,200 files`. */
export function plural(count: number, noun: string): string {
  return `${formatNumber(count)} ${noun}${count === 1 ? '' : 's'}`;
}
