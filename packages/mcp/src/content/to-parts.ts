import type { Part } from '@toolwright/machine/base/content.js';
import { canonical, cutDeep, isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import type { McpContent } from '../contract/connection.js';
import { quoteServer } from '../contract/failure.js';
import { mediaPart } from './media.js';

const MOST_BLOCKS = 1_000;
const MOST_MEDIA = 20;

/** Content blocks of any revision as parts; what can't be shown to a model is named in its place. */
export function toParts(blocks: readonly unknown[]): McpContent {
  const parts: Part[] = [];
  const warnings: string[] = [];
  let media = 0;
  for (const block of blocks.slice(0, MOST_BLOCKS)) {
    const part = partOf(block);
    if ('problem' in part) {
      warnings.push(`Left out: ${part.problem}.`);
      parts.push({ text: `[left out: ${part.problem}]` });
    } else if (part.inlineData && ++media > MOST_MEDIA) {
      warnings.push(`Left out: media beyond the first ${MOST_MEDIA}.`);
    } else parts.push(part);
  }
  if (blocks.length > MOST_BLOCKS)
    warnings.push(`Left out: ${blocks.length - MOST_BLOCKS} of ${blocks.length} content blocks.`);
  return { parts, warnings: [...new Set(warnings)] };
}

/** `contents` of a resource that was read. */
export function readResourceContents(contents: readonly unknown[]): McpContent {
  return toParts(contents.map((resource) => ({ type: 'resource', resource })));
}

type Placed = Part | { problem: string };

function partOf(block: unknown): Placed {
  if (!isJsonObject(block)) return { problem: 'a content block that is not an object' };
  switch (block['type']) {
    case 'text':
      return typeof block['text'] === 'string' ? { text: block['text'] } : { problem: 'a text without text' };
    case 'image':
    case 'audio':
      return mediaPart(block['data'], textAt(block, 'mimeType'));
    case 'resource':
      return isJsonObject(block['resource'])
        ? resourcePart(block['resource'])
        : { problem: 'a resource without content' };
    case 'resource_link':
      return { text: describeLink(block) };
    default:
      return { problem: `content of type "${quoteServer(String(block['type']), 60)}"` };
  }
}

/** Reads an item of `contents` of a resource that was read or embedded. */
function resourcePart(resource: JsonObject): Placed {
  const uri = quoteServer(textAt(resource, 'uri'), 2_000);
  if (typeof resource['text'] === 'string') return { text: `[${uri}]\n${resource['text']}` };
  const mimeType = textAt(resource, 'mimeType');
  if (mimeType.startsWith('text/') && typeof resource['blob'] === 'string')
    return { text: `[${uri}]\n${Buffer.from(resource['blob'], 'base64').toString('utf8')}` };
  const part = mediaPart(resource['blob'], mimeType);
  return 'problem' in part ? { problem: `${uri}: ${part.problem}` } : part;
}

function describeLink(link: JsonObject): string {
  const size = typeof link['size'] === 'number' ? `${link['size']} bytes` : '';
  const facts = [textAt(link, 'mimeType'), size].filter((fact) => fact !== '').join(', ');
  const title = textAt(link, 'title') || textAt(link, 'name');
  const description = textAt(link, 'description');
  const about = [title, facts && `(${facts})`, description].filter((text) => text !== '').join(' ');
  return `[resource ${quoteServer(textAt(link, 'uri'), 2_000)}${about === '' ? '' : `: ${quoteServer(about, 1_000)}`}]`;
}

function textAt(source: JsonObject, key: string): string {
  const value = source[key];
  return typeof value === 'string' ? value : '';
}

const MOST_LEAVES = 1_000;

/** True when the texts say all that the structured content says: the same JSON, or every text and number of it. */
export function saysAll(texts: readonly string[], structured: JsonObject): boolean {
  const json = JSON.stringify(canonical(structured));
  if (texts.some((text) => canonicalText(text) === json)) return true;
  const leaves = leavesOf(structured);
  if (texts.length === 0 || leaves.length > MOST_LEAVES) return false;
  const said = texts.join('\n');
  return leaves.every((leaf) => said.includes(leaf));
}

function leavesOf(value: unknown): string[] {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : [];
}

function canonicalText(text: string): string | null {
  if (!/^\s*[{[]/.test(text)) return null;
  try {
    return JSON.stringify(canonical(cutDeep(JSON.parse(text))));
  } catch {
    return null;
  }
}
