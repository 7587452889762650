import { fileURLToPath } from 'node:url';
import type { ContentBlock, EmbeddedResourceResource } from '@agentclientprotocol/sdk';
import type { EditorText, EditorTextState, Part } from '@toolwright/core';

/** A prompt of an editor, taken apart. */
export interface ReadPrompt {
  /** The text that the user typed. */
  text: string;
  /** The attachments, in their order. */
  attached: Attachment[];
  /** Sentences about what could not be taken. */
  problems: string[];
}

export type Attachment =
  | { kind: 'file'; path: string; text: string; isWhole: boolean }
  | { kind: 'text'; name: string; text: string }
  | { kind: 'link'; name: string; target: string }
  | { kind: 'media'; mimeType: string; data: string };

/** Types that models take as they are. */
const media = /^(image\/[\w.+-]+|application\/pdf)$/i;

export function readPrompt(blocks: readonly ContentBlock[]): ReadPrompt {
  const prompt: ReadPrompt = { text: '', attached: [], problems: [] };
  for (const block of blocks) {
    switch (block.type) {
      case 'text':
        prompt.text += block.text;
        break;
      case 'resource_link': {
        const target = pathOf(block.uri)?.path ?? block.uri;
        // The link stands in the sentence where the user put it.
        prompt.text += target;
        prompt.attached.push({ kind: 'link', name: block.name, target });
        break;
      }
      case 'resource':
        takeResource(block.resource, prompt);
        break;
      default:
        takeMedia(block, prompt);
    }
  }
  return prompt;
}

function takeMedia({ mimeType, data }: { mimeType: string; data: string }, prompt: ReadPrompt): void {
  if (media.test(mimeType) && isBase64(data)) prompt.attached.push({ kind: 'media', mimeType, data });
  else
    prompt.problems.push(`An attachment of the type ${mimeType} was left out: it can't be given to a model.`);
}

function isBase64(data: string): boolean {
  return data !== '' && /^[A-Za-z0-9+/]+={0,2}$/.test(data);
}

function takeResource(resource: EmbeddedResourceResource, prompt: ReadPrompt): void {
  const place = pathOf(resource.uri);
  prompt.text += place?.path ?? resource.uri;
  if ('blob' in resource) {
    takeMedia({ mimeType: resource.mimeType ?? 'unknown', data: resource.blob }, prompt);
    return;
  }
  const { text } = resource;
  prompt.attached.push(
    place
      ? { kind: 'file', path: place.path, text, isWhole: place.isWhole }
      : { kind: 'text', name: resource.uri, text },
  );
}

/** The path of a `file:` address; a fragment names a part of the file. Null for every other address. */
export function pathOf(uri: string): { path: string; isWhole: boolean } | null {
  if (uri.startsWith('/')) return { path: uri, isWhole: true };
  if (!/^file:/i.test(uri) || !URL.canParse(uri)) return null;
  const url = new URL(uri);
  const isWhole = url.hash === '' && url.search === '';
  url.hash = '';
  url.search = '';
  try {
    return { path: fileURLToPath(url), isWhole };
  } catch {
    return null;
  }
}

export interface PromptNeeds {
  noteEditorText(shown: EditorText, signal: AbortSignal): Promise<EditorTextState>;
}

/** Gives attachments the form that the model gets. Whole files of the editor are compared with the disk. */
export async function attachedParts(
  attached: readonly Attachment[],
  { noteEditorText }: PromptNeeds,
  signal: AbortSignal,
): Promise<Part[]> {
  const parts: Part[] = [];
  for (const each of attached) {
    if (each.kind === 'media') parts.push({ inlineData: { mimeType: each.mimeType, data: each.data } });
    if (each.kind === 'text') parts.push({ text: attachedText(each.name, each.text) });
    if (each.kind !== 'file') continue;
    const { path, text, isWhole } = each;
    const state = isWhole ? await noteEditorText({ path, text }, signal) : 'elsewhere';
    const unsaved = state === 'unsaved' ? ', with changes that are not saved yet' : '';
    parts.push({ text: attachedText(path, text, `${isWhole ? '' : ', a part'}${unsaved}`) });
  }
  return parts;
}

function attachedText(name: string, text: string, more = ''): string {
  return `\n\n[Attached: ${name}${more}]\n${text}\n[End of ${name}]`;
}

/** The name in a part that `attachedParts` made; null for every other text. */
export function attachedName(text: string): string | null {
  return (
    /^\n\n\[Attached: (.+?)(?:, a part)?(?:, with changes that are not saved yet)?\]\n/.exec(text)?.[1] ??
    null
  );
}
