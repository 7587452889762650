import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';

/** The requests of one client that it has neither got an answer to nor withdrawn. */
export class UnansweredRequests {
  readonly #ids = new Set<unknown>();

  get hasAny(): boolean {
    return this.#ids.size > 0;
  }

  /** Notes a message of the client, or a list of them. */
  sent(body: unknown): void {
    for (const message of [body].flat()) {
      if (!isJsonObject(message) || typeof message['method'] !== 'string') continue;
      if (message['id'] !== undefined) this.#ids.add(message['id']);
      else if (message['method'] === 'notifications/cancelled') this.#ids.delete(withdrawnIn(message));
    }
  }

  /** Notes a message to the client. */
  answered(message: object): void {
    if ('id' in message && !('method' in message)) this.#ids.delete(message.id);
  }
}

function withdrawnIn({ params }: JsonObject): unknown {
  return isJsonObject(params) ? params['requestId'] : undefined;
}
