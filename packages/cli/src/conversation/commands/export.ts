import { isToolError } from '@toolwright/core';
import { answerTextOf, copyToClipboard, entriesOf, plural, toMarkdown } from '@toolwright/core/front-end';
import { type ReportItem, textItem } from '../../actions/report.js';
import type { SlashContext } from '../slash-context.js';

/** `/export`, `/export FILE`: the conversation as Markdown, in a file that is not there yet. */
export async function exportSession({ agent, signal }: SlashContext, rest: string): Promise<ReportItem[]> {
  if (agent.messages.length === 0) return [textItem('Nothing has been said yet.', 'warning')];
  const name = rest || `conversation-${agent.session.id.slice(0, 12)}.md`;
  const entries = await entriesOf({ path: agent.session.journalPath }, signal);
  const { files, workspace } = agent.host;
  try {
    await files.write(workspace.resolve(name), Buffer.from(toMarkdown(entries)), {
      expect: { kind: 'absent' },
    });
  } catch (error) {
    if (!isToolError(error)) throw error;
    const there =
      error.code === 'conflict' ? `${name} already exists; give another name: /export FILE` : error.message;
    return [textItem(there, 'warning')];
  }
  return [textItem(`Saved as ${name}.`, 'good')];
}

/** Terminals take no longer sequences. */
const MOST_SENT = 74_000;

/** `/copy`: the last answer, through a program of the desktop and through the terminal. */
export async function copyAnswer({ agent, front }: SlashContext): Promise<ReportItem[]> {
  const last = agent.messages.findLast(
    ({ role, parts }) => role === 'model' && answerTextOf(parts).trim() !== '',
  );
  const text = answerTextOf(last?.parts ?? []).trim();
  if (text === '') return [textItem('There is no answer to copy yet.', 'warning')];
  const isCopied = await copyToClipboard(text, process.env);
  const encoded = Buffer.from(text).toString('base64');
  const isSent = encoded.length <= MOST_SENT && front.send(`\x1b]52;c;${encoded}\x07`);
  const size = plural(text.length, 'character');
  if (isCopied) return [textItem(`Copied: ${size}.`, 'good')];
  if (isSent)
    return [
      textItem(
        `Sent to the terminal for its clipboard: ${size}. If nothing arrives, your terminal does not allow it; /export writes a file.`,
        'good',
      ),
    ];
  return [textItem('No clipboard can be reached from here. /export writes a file.', 'warning')];
}
