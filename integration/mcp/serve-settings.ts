import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export function writeSettings(folder: string, settings: object | string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const text = typeof settings === 'string' ? settings : JSON.stringify(settings);
  writeFileSync(join(folder, 'settings.json'), text);
}
