import { jsonIn } from '@toolwright/machine/base/json.js';

/**
 * The JSON value of a call's arguments; undefined where the text is not JSON. No text and `null` mean no arguments, and
 * some models send the object as a JSON string inside a JSON string.
 */
export function decodeArguments(text: string): unknown {
  if (text.trim() === '') return {};
  const value = jsonIn(text);
  if (value === null) return {};
  return typeof value === 'string' ? (jsonIn(value) ?? value) : value;
}
