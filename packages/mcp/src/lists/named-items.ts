import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import type {
  McpIcon,
  McpListing,
  McpPrompt,
  McpResource,
  McpResourceTemplate,
} from '../contract/connection.js';
import { isUsableName, textAt } from '../contract/plain-text.js';
import { readIcons } from './icons.js';

const LONGEST_DESCRIPTION = 4_000;
/** Addresses are names here, too. */
const LONGEST_NAME = 4_000;

export function readPrompts(entries: readonly unknown[]): McpListing<McpPrompt> {
  return readEach(entries, 'prompt', 'name', (entry, name) => ({
    name,
    ...describe(entry),
    arguments: (Array.isArray(entry['arguments']) ? entry['arguments'] : [])
      .filter(hasName)
      .map((argument) => ({
        name: argument.name,
        description: textAt(argument, 'description', LONGEST_DESCRIPTION),
        required: argument['required'] === true,
      })),
  }));
}

export function readResources(entries: readonly unknown[]): McpListing<McpResource> {
  return readEach(entries, 'resource', 'uri', (entry, uri) => ({
    uri,
    name: textAt(entry, 'name', 500) || uri,
    ...describe(entry),
    mimeType: textAt(entry, 'mimeType', 200),
    size: typeof entry['size'] === 'number' ? entry['size'] : null,
  }));
}

export function readResourceTemplates(entries: readonly unknown[]): McpListing<McpResourceTemplate> {
  return readEach(entries, 'resource template', 'uriTemplate', (entry, uriTemplate) => ({
    uriTemplate,
    name: textAt(entry, 'name', 500) || uriTemplate,
    ...describe(entry),
    mimeType: textAt(entry, 'mimeType', 200),
  }));
}

function describe(entry: JsonObject): { title: string; description: string; icons?: McpIcon[] } {
  return {
    title: textAt(entry, 'title', 200),
    description: textAt(entry, 'description', LONGEST_DESCRIPTION),
    icons: readIcons(entry['icons']),
  };
}

function hasName(value: unknown): value is JsonObject & { name: string } {
  return isJsonObject(value) && isUsableName(value['name'], LONGEST_NAME);
}

function readEach<Item>(
  entries: readonly unknown[],
  kind: string,
  key: string,
  read: (entry: JsonObject, id: string) => Item,
): McpListing<Item> {
  const items = new Map<string, Item>();
  const warnings: string[] = [];
  entries.forEach((entry, index) => {
    const id = isJsonObject(entry) ? entry[key] : undefined;
    if (!isJsonObject(entry) || !isUsableName(id, LONGEST_NAME))
      warnings.push(`Entry ${index + 1} of the ${kind} list has no usable ${key} and was left out.`);
    else if (!items.has(id)) items.set(id, read(entry, id));
  });
  return { items: [...items.values()], warnings };
}
