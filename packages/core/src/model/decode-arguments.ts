/**
 * The JSON value of a call's arguments; undefined where the text is not JSON. No text and `null` mean no arguments, and
 * some models send the object as a JSON string inside a JSON string.
 */
export function decodeArguments(text: string): unknown {
  if (text.trim() === '') return {};
  const value = parsed(text);
  if (value === null) return {};
  return typeof value === 'string' ? (parsed(value) ?? value) : value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
