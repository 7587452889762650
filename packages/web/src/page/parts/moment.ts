/** The time today, the day otherwise. */
export function momentText(at: string): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return '';
  const two = (value: number): string => String(value).padStart(2, '0');
  const clock = `${two(time.getHours())}:${two(time.getMinutes())}`;
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return time.toDateString() === new Date().toDateString() ? clock : `${day} ${clock}`;
}
