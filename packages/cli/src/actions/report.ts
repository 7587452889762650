import type { FileDiff } from '@toolwright/core';
import type { Shares } from '../app/shares.js';
import type { Tone } from '../app/state.js';

/** Something an action tells the user. Each front end escapes and lays it out in its own way. */
export type ReportItem =
  | { kind: 'text'; text: string; tone: Tone }
  | { kind: 'diff'; diff: FileDiff; tone: Tone }
  | { kind: 'shares'; shares: Shares; tone: Tone };

export function textItem(text: string, tone: Tone = 'plain'): ReportItem {
  return { kind: 'text', text, tone };
}

/** The words before the name of an action: `toolwright undo` in a shell, `/undo` in a conversation. */
export type Prefix = 'toolwright ' | '/';
