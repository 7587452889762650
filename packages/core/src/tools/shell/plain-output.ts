/**
 * What a program prints for a terminal, as plain text: escape sequences taken out, also where a chunk border cuts
 * them in two, and lines that were drawn over and over (progress bars) as they looked at the end.
 */

/** Takes escape sequences out, chunk by chunk. */
export interface WithoutEscapes {
  write(chunk: string): string;
}

type Place = 'text' | 'escape' | 'control' | 'string' | 'string-escape';

/** A title or link that is never closed must not swallow everything behind it. */
const LONGEST_STRING = 4_096;

export function createWithoutEscapes(): WithoutEscapes {
  let place: Place = 'text';
  let skipped = 0;
  return {
    write(chunk) {
      if (place === 'text' && !SPECIAL.test(chunk)) return chunk;
      let text = '';
      for (const character of chunk) {
        if (place === 'string' && ++skipped > LONGEST_STRING) place = 'text';
        if (place === 'text' && !isStart(character)) text += character;
        else {
          if (place === 'text') skipped = 0;
          place = next(place, character);
        }
      }
      return text;
    },
  };
}

const SPECIAL = /[\x1b\x90\x98\x9b\x9d-\x9f]/;

function isStart(character: string): boolean {
  return SPECIAL.test(character);
}

function next(place: Place, character: string): Place {
  switch (place) {
    case 'text':
      return character === '\x1b' ? 'escape' : character === '\x9b' ? 'control' : 'string';
    case 'escape':
      return afterEscape(character);
    case 'control':
      if (character === '\x1b') return 'escape';
      return /[@-~]/.test(character) || !/[ -?]/.test(character) ? 'text' : 'control';
    case 'string':
      if (character === '\x07' || character === '\x9c') return 'text';
      return character === '\x1b' ? 'string-escape' : 'string';
    case 'string-escape':
      return character === '\\' ? 'text' : afterEscape(character);
  }
}

function afterEscape(character: string): Place {
  if (character === '[') return 'control';
  if (/[\]PX^_]/.test(character)) return 'string';
  return /[ -/]/.test(character) ? 'escape' : 'text';
}

/** The whole of it at once, with carriage returns and backspaces carried out. */
export function plainOutput(printed: string): string {
  const text = createWithoutEscapes().write(printed).replace(/\r+\n/g, '\n');
  if (!/[\r\b\f\v\0\x07]/.test(text)) return text;
  return text
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
  return {
    write(chunk) {
      const text = withoutEscapes.write(chunk);
      if (text === '') return '';
      const joined = endedWithReturn && !text.startsWith('\n') ? `\n${text}` : text;
      endedWithReturn = joined.endsWith('\r');
      const body = endedWithReturn ? joined.slice(0, -1) : joined;
      return body.replace(/\r*\n/g, '\n').replace(/\r+/g, '\n');
    },
  };
}
