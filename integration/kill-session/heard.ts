/** The content of a request, in one form for all wire formats, so that two requests can be compared. */
export interface Said {
  kind: 'user' | 'model' | 'call' | 'response';
  /** Of a call and its response: the id, or the name where the format has no ids. */
  key: string;
  text: string;
}

type Json = Record<string, unknown>;

export function heardIn(body: Json): Said[] {
  if (Array.isArray(body['contents'])) return (body['contents'] as Json[]).flatMap(fromGemini);
  if (Array.isArray(body['input'])) return (body['input'] as Json[]).flatMap(fromResponses);
  return (body['messages'] as Json[]).flatMap((message) =>
    Array.isArray(message['tool_calls']) || message['role'] === 'tool'
      ? fromOpenAi(message)
      : fromBlocks(message),
  );
}

function fromGemini({ role, parts }: Json): Said[] {
  return (parts as Json[]).map((part) => {
    const call = part['functionCall'] as Json | undefined;
    const response = part['functionResponse'] as Json | undefined;
    if (call) return said('call', String(call['id'] ?? call['name']), JSON.stringify(call['args']));
    if (response)
      return said(
        'response',
        String(response['id'] ?? response['name']),
        JSON.stringify(response['response']),
      );
    return said(role === 'model' ? 'model' : 'user', '', String(part['text']));
  });
}

function fromOpenAi(message: Json): Said[] {
  if (message['role'] === 'tool')
    return [said('response', String(message['tool_call_id']), JSON.stringify(message['content']))];
  const calls = (message['tool_calls'] as { id: string; function: Json }[]).map((call) =>
    said('call', call.id, String(call.function['arguments'])),
  );
  return [...(message['content'] ? fromBlocks(message) : []), ...calls];
}

function fromResponses(item: Json): Said[] {
  const key = String(item['call_id']);
  if (item['type'] === 'function_call') return [said('call', key, String(item['arguments']))];
  if (item['type'] === 'function_call_output') return [said('response', key, JSON.stringify(item['output']))];
  return fromBlocks(item);
}

/** Text alone, or the blocks of Anthropic's format. */
function fromBlocks({ role, content }: Json): Said[] {
  if (role === 'system') return [];
  const kind = role === 'assistant' ? 'model' : 'user';
  if (typeof content === 'string') return [said(kind, '', content)];
  return ((content ?? []) as Json[]).map((block) => {
    if (block['type'] === 'tool_use')
      return said('call', String(block['id']), JSON.stringify(block['input']));
    if (block['type'] === 'tool_result')
      return said('response', String(block['tool_use_id']), JSON.stringify(block['content']));
    return said(kind, '', String(block['text']));
  });
}

function said(kind: Said['kind'], key: string, text: string): Said {
  return { kind, key, text };
}

/** Calls that are not followed at once by their responses, in order, and responses that nobody asked for. */
export function unpaired(all: readonly Said[]): number {
  let wrong = 0;
  let open: string[] = [];
  for (const { kind, key } of all) {
    if (kind === 'call') open.push(key);
    else if (kind === 'response') wrong += open.shift() === key ? 0 : 1;
    else {
      wrong += open.length;
      open = [];
    }
  }
  return wrong + open.length;
}

export function isInterrupted({ text }: Said): boolean {
  return text.includes('The call was interrupted');
}
