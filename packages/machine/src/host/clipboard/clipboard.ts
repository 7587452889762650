import { spawn } from '../processes/launch/child-process.js';
import type { Environment } from '../state/state-folder.js';

/** A program that reads from or writes to the clipboard of the desktop. */
interface ClipboardProgram {
  file: string;
  args: readonly string[];
  /** The variable without which it has no desktop to talk to. */
  needs?: string;
}

const MAX_BYTES = 32 * 1024 * 1024;
const LIMIT_MS = 5_000;

const readers: Partial<Record<NodeJS.Platform, readonly ClipboardProgram[]>> = {
  linux: [
    { file: 'wl-paste', args: ['--no-newline', '--type', 'image/png'], needs: 'WAYLAND_DISPLAY' },
    { file: 'xclip', args: ['-selection', 'clipboard', '-t', 'image/png', '-o'], needs: 'DISPLAY' },
  ],
  darwin: [{ file: 'pngpaste', args: ['-'] }],
  win32: [
    {
      file: 'powershell.exe',
      args: [
        '-NoProfile',
        '-Command',
        'Add-Type -AssemblyName System.Windows.Forms; $i=[Windows.Forms.Clipboard]::GetImage(); if($i){$m=New-Object IO.MemoryStream; $i.Save($m,[Drawing.Imaging.ImageFormat]::Png); $b=$m.ToArray(); [Console]::OpenStandardOutput().Write($b,0,$b.Length)}',
      ],
    },
  ],
};

const writers: Partial<Record<NodeJS.Platform, readonly ClipboardProgram[]>> = {
  linux: [
    { file: 'wl-copy', args: [], needs: 'WAYLAND_DISPLAY' },
    { file: 'xclip', args: ['-selection', 'clipboard'], needs: 'DISPLAY' },
    { file: 'xsel', args: ['--clipboard', '--input'], needs: 'DISPLAY' },
  ],
  darwin: [{ file: 'pbcopy', args: [] }],
  win32: [{ file: 'clip.exe', args: [] }],
};

/** The image in the clipboard as PNG; null when there is none, or no program that could read it. */
export async function clipboardImage(environment: Environment): Promise<Uint8Array | null> {
  for (const program of programsFor(readers, environment)) {
    const bytes = await run(program, environment, null);
    if (bytes && bytes.length > 0) return bytes;
  }
  return null;
}

/** Puts a text into the clipboard; false when no program could. */
export async function copyToClipboard(text: string, environment: Environment): Promise<boolean> {
  for (const program of programsFor(writers, environment)) {
    if ((await run(program, environment, text)) !== null) return true;
  }
  return false;
}

/** The programs by name, for messages. */
export function clipboardPrograms(): string[] {
  return (readers[process.platform] ?? []).map(({ file }) => file);
}

function programsFor(
  table: Partial<Record<NodeJS.Platform, readonly ClipboardProgram[]>>,
  environment: Environment,
): readonly ClipboardProgram[] {
  return (table[process.platform] ?? []).filter(({ needs }) => needs === undefined || environment[needs]);
}

/** Gives the program's output; null when it failed, took too long or printed too much. */
function run(
  { file, args }: ClipboardProgram,
  environment: Environment,
  input: string | null,
): Promise<Uint8Array | null> {
  return new Promise((resolve) => {
    const child = spawn(file, args, {
      env: environment,
      // A writer may leave a process behind that holds the clipboard: it must not hold our pipe.
      stdio: [input === null ? 'ignore' : 'pipe', input === null ? 'pipe' : 'ignore', 'ignore'],
      timeout: LIMIT_MS,
      killSignal: 'SIGKILL',
    });
    const chunks: Buffer[] = [];
    let size = 0;
    child.stdout?.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_BYTES) child.kill('SIGKILL');
      else chunks.push(chunk);
    });
    child.stdin?.on('error', () => undefined);
    child.on('error', () => resolve(null));
    child.on(input === null ? 'close' : 'exit', (code: number | null) =>
      resolve(code === 0 && size <= MAX_BYTES ? Buffer.concat(chunks) : null),
    );
    child.stdin?.end(input ?? '');
  });
}
