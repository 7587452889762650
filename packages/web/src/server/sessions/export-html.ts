import type { SavedEntry } from '@toolwright/core';
import { totalsOf } from '../../wire/totals.js';
import type { TimelineCall, TimelineItem } from '../../wire/wire.js';
import { createTimeline, type FactsOfModel } from './timeline.js';

/** A session as one file that can be sent to somebody else: no script, nothing from elsewhere, all text as text. */
export function exportHtml(entries: readonly SavedEntry[], id: string, factsOf: FactsOfModel): string {
  const timeline = createTimeline(factsOf);
  timeline.add(entries);
  const { items } = timeline;
  const start = entries.find((entry) => entry.type === 'session-start');
  const { calls, asked, time, turns } = totalsOf(items);
  const tokens = turns.reduce((sum, { fresh, cached, answer }) => sum + fresh + cached + answer, 0);
  const facts = [
    `Started ${start?.at ?? 'at an unknown time'} in ${start?.workspace ?? 'an unknown folder'}${start?.model ? ` with ${start.model}` : ''}.`,
    `${calls} calls, ${asked} questions, ${tokens.toLocaleString('en')} tokens; ${seconds(time.model)} for the model, ${seconds(time.tools)} for tools, ${seconds(time.waiting)} waiting.`,
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Session ${escaped(id)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Session ${escaped(id)}</h1>
${facts.map((fact) => `<p>${escaped(fact)}</p>`).join('\n')}
${items.map(section).filter(Boolean).join('\n')}
</main>
</body>
</html>
`;
}

function section(item: TimelineItem): string {
  switch (item.kind) {
    case 'prompt':
      return `<section class="prompt"><h2>You</h2><pre>${escaped(item.text)}</pre></section>`;
    case 'answer':
      return [
        item.thinking === ''
          ? ''
          : `<details><summary>Thinking</summary><pre>${escaped(item.thinking)}</pre></details>`,
        item.text.trim() === ''
          ? ''
          : `<section><h2>Toolwright</h2><pre>${escaped(item.text)}</pre></section>`,
      ].join('');
    case 'call':
      return callSection(item);
    case 'change':
      return `<p class="note">${escaped(`${item.by}: ${item.summary}`)}</p>`;
    case 'shortened':
      return '<p class="note">Earlier messages were summarised here.</p>';
    case 'start':
    case 'usage':
      return '';
  }
}

function callSection({ tool, brief, state, decision, error, shown, isCut }: TimelineCall): string {
  const asked = decision && (decision.verdict !== 'allow' || decision.outcome);
  return `<details class="${state}"><summary>${escaped(tool)} <code>${escaped(brief)}</code> ${state}</summary>
${asked ? `<p>${escaped(`${decision.verdict}${decision.outcome ? `, answered ${decision.outcome}` : ''}: ${decision.reason}`)}</p>` : ''}
${error === undefined ? '' : `<p>${escaped(error)}</p>`}<pre>${escaped(shown)}${isCut ? '\n…' : ''}</pre></details>`;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text of others as text; characters that turn the direction or hide others are made visible. */
function escaped(text: string): string {
  return text
    .replace(
      /[\u202a-\u202e\u2066-\u2069\u200b-\u200f\u0000-\u0008\u000b-\u001f\u007f]/g,
      (unit) => `<U+${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}>`,
    )
    .replace(/[&<>"']/g, (unit) => entities[unit]!);
}

const STYLE = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}body{margin:0}main{max-width:60rem;margin:auto;padding:1rem}
pre{white-space:pre-wrap;overflow-wrap:anywhere;font:14px/1.5 ui-monospace,monospace;margin:.5rem 0}h1{font-size:1.3rem;overflow-wrap:anywhere}h2{font-size:1rem;margin:1.5rem 0 0}
details{border:1px solid #8888;border-radius:6px;padding:.3rem .7rem;margin:.5rem 0}summary{cursor:pointer;overflow-wrap:anywhere}.prompt{border-left:4px solid #36c;padding-left:.8rem}.failed,.refused{border-color:#b33}.note{font-style:italic}`;
