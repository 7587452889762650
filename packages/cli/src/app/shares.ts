import { formatAbout, formatNumber } from '@toolwright/core/front-end';
import type { SafeText } from './safe-text.js';

/** The parts that fill something, and its size. All numbers are estimates. */
export interface Shares {
  title: SafeText;
  total: number;
  unit: SafeText;
  parts: readonly { name: SafeText; value: number }[];
  /** The share of the whole at which something will happen. */
  mark: number;
}

export function usedOf({ parts }: Shares): number {
  return parts.reduce((sum, { value }) => sum + value, 0);
}

/** A row about one part. */
export interface ShareRow {
  name: string;
  amount: string;
  percent: string;
}

/** The parts, and the rest that is free. */
export function shareRows(shares: Shares): { parts: ShareRow[]; free: ShareRow } {
  const { total } = shares;
  const row = (name: string, value: number, amount: string): ShareRow => ({
    name,
    amount,
    percent: percentText(value / total),
  });
  const free = Math.max(0, total - aboutNumber(usedOf(shares)));
  return {
    parts: shares.parts.map(({ name, value }) => row(name, value, formatAbout(value))),
    free: row('Free', free, formatNumber(free)),
  };
}

/** Free and used are the whole again, in what is shown, too. */
function aboutNumber(value: number): number {
  return Number(value.toPrecision(2));
}

export function sharesHeading(shares: Shares): string {
  const { title, total, unit } = shares;
  const used = usedOf(shares);
  return `${title}: about ${formatAbout(used)} of ${formatNumber(total)} ${unit}, ${percentText(used / total)}`;
}

function percentText(share: number): string {
  const percent = share * 100;
  if (percent > 0 && percent < 0.1) return '<0.1 %';
  return `${percent < 10 ? percent.toFixed(1) : Math.round(percent)} %`;
}

/** The shares in words, for who reads line after line. */
export function sharesText(shares: Shares): string {
  const { parts, free } = shareRows(shares);
  const rows = [...parts, free].map(
    ({ name, amount, percent }) => `${name}: ${amount} ${shares.unit}, ${percent}`,
  );
  return [sharesHeading(shares), ...rows].join('\n');
}
