import { terminalSafe } from '@toolwright/machine/base/terminal-safe.js';

/**
 * The output of a program for a terminal, as plain text: escape sequences taken out, also where a chunk border cuts
 * them in two, and lines that were drawn over and over (progress bars) as they looked at the end.
 */

/** Takes escape sequences out, chunk by chunk. */
export interface WithoutEscapes {
  write(chunk: string): string;
  /** The rest when nothing follows: the beginning of a sequence that was never closed. */
  end(): string;
}

type SequencePart = 'text' | 'escape' | 'control' | 'string' | 'string-escape';

/** A title, a link or an image that is longer is none that is ever closed. */
const LONGEST_STRING = 64 * 1024;
const LONGEST_CONTROL = 256;

/**
 * A sequence that is closed is taken out. One that is broken off, by a line break, by another sequence, by its length or
 * by the end, was none: it is shown, and what follows is text.
 */
export function createWithoutEscapes(): WithoutEscapes {
  let place: SequencePart = 'text';
  let held = '';
  function broken(): string {
    // An escape that closes nothing begins the next sequence.
    const begins = place === 'string-escape';
    const shown = begins ? held.slice(0, -1) : place === 'string' ? held : '';
    place = begins ? 'escape' : 'text';
    held = begins ? '\x1b' : '';
    return terminalSafe(shown);
  }
  function take(character: string): string {
    if (place === 'text' && !STARTS.includes(character)) return character;
    if (place !== 'text' && breaksOff(place, character, held.length)) return broken() + take(character);
    held += character;
    place = next(place, character);
    if (place === 'text') held = '';
    return '';
  }
  return {
    write(chunk) {
      if (place === 'text' && !STARTS.some((character) => chunk.includes(character))) return chunk;
      const parts: string[] = [];
      for (let at = 0; at < chunk.length; ) {
        if (place === 'text') {
          SPECIAL.lastIndex = at;
          const start = SPECIAL.exec(chunk)?.index ?? chunk.length;
          parts.push(chunk.slice(at, start));
          at = start;
          if (at === chunk.length) break;
        }
        const character = String.fromCodePoint(chunk.codePointAt(at)!);
        parts.push(take(character));
        at += character.length;
      }
      return parts.join('');
    },
    end: broken,
  };
}

// A search per character goes through megabytes in the time that one pattern for all takes for a few kilobytes.
const STARTS = ['\x1b', '\x90', '\x98', '\x9b', '\x9d', '\x9e', '\x9f'];
const SPECIAL = /[\x1b\x90\x98\x9b\x9d-\x9f]/g;

/** No sequence has a line break in it, or another control character but those that close it. */
function breaksOff(place: SequencePart, character: string, length: number): boolean {
  switch (place) {
    case 'string':
      return character === '\n' || character === '\r' || length >= LONGEST_STRING;
    case 'string-escape':
      return character !== '\\';
    case 'control':
      return character !== '\x1b' && (/[^ -~]/.test(character) || length >= LONGEST_CONTROL);
    case 'escape':
      return character !== '\x1b' && /[^ -~]/.test(character);
    default:
      return false;
  }
}

function next(place: SequencePart, character: string): SequencePart {
  switch (place) {
    case 'text':
      return character === '\x1b' ? 'escape' : character === '\x9b' ? 'control' : 'string';
    case 'escape':
      return afterEscape(character);
    case 'control':
      if (character === '\x1b') return 'escape';
      return /[@-~]/.test(character) ? 'text' : 'control';
    case 'string':
      if (character === '\x07' || character === '\x9c') return 'text';
      return character === '\x1b' ? 'string-escape' : 'string';
    case 'string-escape':
      return 'text';
  }
}

function afterEscape(character: string): SequencePart {
  if (character === '[') return 'control';
  if (/[\]PX^_]/.test(character)) return 'string';
  return character === '\x1b' || /[ -/]/.test(character) ? 'escape' : 'text';
}

const DRAWING = ['\r', '\b', '\f', '\v', '\0', '\x07'];

/** The whole of it at once, with carriage returns and backspaces carried out. */
export function plainOutput(printed: string): string {
  const filter = createWithoutEscapes();
  const text = filter.write(printed) + filter.end();
  if (!DRAWING.some((character) => text.includes(character))) return text;
  return text
    .replace(/\r+\n/g, '\n')
    .split('\n')
    .map(asDrawn)
    .join('\n')
    .replace(/[\f\v]/g, '\n')
    .replace(/[\0\x07]/g, '');
}

/** A line that was drawn several times: the last drawing that shows something. */
function asDrawn(line: string): string {
  const drawings = line.split('\r');
  const last = drawings.findLast((drawing) => drawing.trim() !== '') ?? '';
  return last.includes('\b') ? withBackspaces(last) : last;
}

function withBackspaces(line: string): string {
  const kept: string[] = [];
  for (const character of line) {
    if (character === '\b') kept.pop();
    else kept.push(character);
  }
  return kept.join('');
}

/** For somebody who watches: every drawing of a line on a line of its own. */
export function createLiveText(): WithoutEscapes {
  const withoutEscapes = createWithoutEscapes();
  let endedWithReturn = false;
  function drawn(text: string): string {
    if (text === '') return '';
    const joined = endedWithReturn && !text.startsWith('\n') ? `\n${text}` : text;
    endedWithReturn = joined.endsWith('\r');
    const body = endedWithReturn ? joined.slice(0, -1) : joined;
    return body.replace(/\r*\n/g, '\n').replace(/\r+/g, '\n');
  }
  return {
    write: (chunk) => drawn(withoutEscapes.write(chunk)),
    end: () => drawn(withoutEscapes.end()),
  };
}
