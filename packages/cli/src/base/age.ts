const MINUTE_MS = 60_000;

/** Words the time since something happened. */
export function ageOf(ms: number, now: number): string {
  const minutes = Math.max(0, Math.floor((now - ms) / MINUTE_MS));
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours} h ago`;
  const days = Math.floor(hours / 24);
  return days === 1 ? 'yesterday' : `${days} days ago`;
}
